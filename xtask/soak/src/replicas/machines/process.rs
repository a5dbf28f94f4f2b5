//! A child process with a log.

use rustix::process::{Pid, Signal, kill_process};
use std::{
    fs::OpenOptions,
    path::Path,
    process::{Child, Command, ExitStatus},
    time::{Duration, Instant},
};

/// The pause between two looks at a process.
const LOOK: Duration = Duration::from_millis(20);

/// A child process, killed on drop.
#[derive(Debug)]
pub(super) struct Process {
    name: String,
    child: Child,
}

impl Process {
    /// Starts a process that writes to the end of a log.
    pub(super) fn start(name: &str, command: &mut Command, log: &Path) -> Result<Self, String> {
        let failed = |error| format!("failed to start {name}: {error}");
        let log = OpenOptions::new().create(true).append(true).open(log).map_err(failed)?;
        let errors = log.try_clone().map_err(failed)?;
        let child = command.stdout(log).stderr(errors).spawn().map_err(failed)?;
        Ok(Self { name: name.to_owned(), child })
    }

    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(super) fn signal(&self, signal: Signal) -> Result<(), String> {
        signal_process(self.id(), signal).map_err(|error| format!("failed to signal {}: {error}", self.name))
    }

    /// Returns how the process ended; `None` while it runs.
    pub(super) fn ended(&mut self) -> Result<Option<ExitStatus>, String> {
        self.child.try_wait().map_err(|error| format!("failed to look at {}: {error}", self.name))
    }

    /// Waits for the end of the process.
    pub(super) async fn end(&mut self, limit: Duration) -> Result<ExitStatus, String> {
        let end = Instant::now() + limit;
        loop {
            if let Some(status) = self.ended()? {
                return Ok(status);
            }
            if Instant::now() >= end {
                return Err(format!("{} did not end within {limit:?}", self.name));
            }
            tokio::time::sleep(LOOK).await;
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Signals any process.
pub(super) fn signal_process(process: u32, signal: Signal) -> rustix::io::Result<()> {
    let pid = i32::try_from(process).ok().and_then(Pid::from_raw).ok_or(rustix::io::Errno::SRCH)?;
    kill_process(pid, signal)
}
