//! Processes that a server left behind in their own sessions or groups, out of reach of a signal to its group. They are found by
//! an environment variable that the server's process gets and hands on.

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::Errno,
    process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal},
};
use std::{
    collections::HashSet,
    fs, io,
    os::fd::OwnedFd,
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

/// The variable that names the run of a server.
pub(super) const VARIABLE: &str = "MGP_SERVER_RUN";

/// The most scans for remaining processes. A process that starts others during a scan makes another one necessary.
const MAX_LOOKS: usize = 100;

/// The most processes that are awaited at once: each takes a file descriptor.
const MAX_AWAITED: usize = 8;

/// The longest wait for killed processes to end. A process that waits for a disk may end later.
const PATIENCE: Duration = Duration::from_secs(2);

/// The name of one run of a server.
#[derive(Debug)]
pub(super) struct RunMark(String);

impl RunMark {
    /// Creates a name that no other run on this machine has.
    pub(super) fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        // The time distinguishes processes that had the same id one after the other.
        let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
        Self(format!("{}-{time}-{number}", std::process::id()))
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    /// Kills the remaining processes of the run, and waits until they have ended. Blocks the thread, because it scans every
    /// process of this machine.
    ///
    /// # Errors
    /// If the processes cannot be listed, or if they keep starting others.
    pub(super) fn end(&self) -> io::Result<()> {
        let variable = format!("{VARIABLE}={}", self.0);
        let (mut killed, mut awaited) = (HashSet::new(), Vec::new());
        for _ in 0..MAX_LOOKS {
            let before = killed.len();
            for entry in fs::read_dir("/proc")? {
                let id: Option<i32> = entry?.file_name().to_str().and_then(|name| name.parse().ok());
                let found = id.and_then(|id| Some((id, kill(id, variable.as_bytes())?)));
                let Some((id, process)) = found else { continue };
                if killed.insert(id) && awaited.len() < MAX_AWAITED {
                    awaited.push(process);
                }
            }
            if killed.len() == before {
                wait_for(&awaited);
                return Ok(());
            }
        }
        Err(io::Error::other("the processes keep starting others"))
    }
}

/// Kills a process if its environment contains a variable. Returns the process if it does.
pub(super) fn kill(id: i32, variable: &[u8]) -> Option<OwnedFd> {
    // The environment of another account's process cannot be read, and that of a process that has ended is empty.
    let has_it = || {
        let environment = fs::read(format!("/proc/{id}/environ")).ok()?;
        environment.split(|byte| *byte == 0).any(|entry| entry == variable).then_some(())
    };
    has_it()?;
    let process = pidfd_open(Pid::from_raw(id)?, PidfdFlags::empty()).ok()?;
    // Once more: another process may have got its id in between.
    has_it()?;
    pidfd_send_signal(&process, Signal::KILL).is_ok().then_some(process)
}

/// Waits until processes have ended, for [`PATIENCE`] at most.
pub(super) fn wait_for(processes: &[OwnedFd]) {
    let end = Instant::now() + PATIENCE;
    for process in processes {
        loop {
            let Ok(left) = Timespec::try_from(end.saturating_duration_since(Instant::now())) else { return };
            // A process is readable once it has ended. Without an answer, it ends a little later.
            if poll(&mut [PollFd::new(process, PollFlags::IN)], Some(&left)) != Err(Errno::INTR) {
                break;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_run_has_a_unique_name_and_ends_without_processes() {
        let (one, other) = (RunMark::new(), RunMark::new());
        assert_ne!(one.as_str(), other.as_str());
        one.end().unwrap();
    }
}
