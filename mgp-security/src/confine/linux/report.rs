//! The step at which a confinement failed, reported by the child to its parent: an error between fork and exec is only a number.

use super::calls;
use std::{
    fmt, io,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    time::{Duration, Instant},
};

/// A step of confinement in the child.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Step {
    Descriptors,
    Namespaces,
    User,
    Network,
    Mounts,
    Limits,
    Landlock,
    Seccomp,
}

impl Step {
    const ALL: [Self; 8] = [
        Self::Descriptors,
        Self::Namespaces,
        Self::User,
        Self::Network,
        Self::Mounts,
        Self::Limits,
        Self::Landlock,
        Self::Seccomp,
    ];
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Descriptors => "closing inherited descriptors",
            Self::Namespaces => {
                "namespaces (user namespaces may be switched off: see user.max_user_namespaces and \
                 kernel.apparmor_restrict_unprivileged_userns)"
            }
            Self::User => "the user of the namespace",
            Self::Network => "the way to the proxy for its hosts",
            Self::Mounts => "read-only mounts (Linux 5.12)",
            Self::Limits => "limits of resources",
            Self::Landlock => "Landlock",
            Self::Seccomp => "seccomp",
        })
    }
}

/// The most messages of a stage.
const MAX_MESSAGES: usize = 16;

/// The length of the message about the end of a stage: the number of an error, or 0.
const STAGE_END: usize = size_of::<i32>();

/// Reports to the parent that a step failed.
pub(super) fn report_failure(to: BorrowedFd<'_>, step: Step) {
    // If the report fails, the parent still sees the error.
    let _ = calls::write(to, &[step as u8]);
}

/// Reports to the parent that a stage ended with an error, or is about to start the program.
pub(super) fn report_end(to: BorrowedFd<'_>, error: Option<&io::Error>) {
    let number = error.map_or(0, |error| error.raw_os_error().unwrap_or(libc::EIO));
    let _ = calls::write(to, &number.to_ne_bytes());
}

/// The channel on which the child reports failed steps to its parent.
#[derive(Debug)]
pub(super) struct Report {
    parent: OwnedFd,
    child: OwnedFd,
}

impl Report {
    pub(super) fn new() -> io::Result<Self> {
        let (parent, child) = calls::pair()?;
        calls::set_nonblocking(parent.as_fd())?;
        Ok(Self { parent, child })
    }

    /// Reports to the parent that a step failed. Called in the child.
    pub(super) fn failed(&self, step: Step) {
        report_failure(self.child(), step);
    }

    /// Returns the end of the child.
    pub(super) fn child(&self) -> BorrowedFd<'_> {
        self.child.as_fd()
    }

    /// Waits for the end of a start by [`stage`](super::stage), at most for `limit`. Returns the steps that failed, and the outcome of the
    /// start. Called in the parent.
    pub(super) fn end_of_stage(&self, limit: Duration) -> (Vec<Step>, io::Result<()>) {
        let start = Instant::now();
        let (mut failed, mut end) = (Vec::new(), None);
        // Without this, the end of the child's copies would not show.
        if let Err(error) = calls::replace(self.child.as_fd(), self.parent.as_fd()) {
            return (failed, Err(error));
        }
        for _ in 0..=MAX_MESSAGES {
            let left = u64::try_from(limit.saturating_sub(start.elapsed()).as_millis()).unwrap_or_default();
            let mut message = [0; STAGE_END];
            let length = match calls::wait_readable(self.parent.as_fd(), left) {
                Ok(true) => calls::read_message(self.parent.as_fd(), &mut message).unwrap_or_default(),
                Ok(false) => {
                    end = Some(Err(io::Error::new(io::ErrorKind::TimedOut, "bubblewrap takes too long")));
                    break;
                }
                Err(error) => {
                    end = Some(Err(error));
                    break;
                }
            };
            match (length, message) {
                (1, [step, ..]) => failed.extend(Step::ALL.get(usize::from(step)).copied()),
                (STAGE_END, number) => {
                    let number = i32::from_ne_bytes(number);
                    end = Some(if number == 0 { Ok(()) } else { Err(io::Error::from_raw_os_error(number)) });
                }
                _ => break,
            }
        }
        let end = end.unwrap_or_else(|| {
            failed.push(Step::Namespaces);
            Err(io::Error::other("bubblewrap ended before it started the server"))
        });
        (failed, end)
    }

    /// Returns the steps that failed so far. Called in the parent.
    pub(super) fn steps(&self) -> Vec<Step> {
        let next = || calls::read_byte(self.parent.as_fd()).ok().flatten();
        std::iter::from_fn(next)
            .take(Step::ALL.len())
            .filter_map(|byte| Step::ALL.get(usize::from(byte)).copied())
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    /// Returns the outcome of a stage that sends messages and ends.
    fn outcome(messages: &[&dyn Fn(BorrowedFd<'_>)]) -> (Vec<Step>, io::Result<()>) {
        let report = Report::new().unwrap();
        let stage = report.child.try_clone().unwrap();
        messages.iter().for_each(|send| send(stage.as_fd()));
        drop(stage);
        report.end_of_stage(LONG)
    }

    #[test]
    fn a_stage_reports_its_steps_and_its_end() {
        let missing = io::Error::from_raw_os_error(libc::ENOENT);
        let ready = |to: BorrowedFd<'_>| report_end(to, None);
        let (failed, ended) = outcome(&[&ready]);
        assert!(failed.is_empty() && ended.is_ok());
        // A missing program is not the failure of a step.
        let (failed, ended) = outcome(&[&ready, &|to| report_end(to, Some(&missing))]);
        assert!(failed.is_empty() && ended.unwrap_err().kind() == io::ErrorKind::NotFound);
        let (failed, ended) = outcome(&[&|to| report_failure(to, Step::Landlock), &ready]);
        assert!(failed == [Step::Landlock] && ended.is_ok());
    }

    #[test]
    fn a_stage_that_never_starts_is_a_failure_of_namespaces() {
        let (failed, ended) = outcome(&[]);
        assert_eq!(failed, [Step::Namespaces]);
        assert!(ended.unwrap_err().to_string().contains("bubblewrap ended"));
        let report = Report::new().unwrap();
        let _stage = report.child.try_clone().unwrap();
        assert_eq!(report.end_of_stage(Duration::ZERO).1.unwrap_err().kind(), io::ErrorKind::TimedOut);
    }
}
