//! The limits of a server's resources, and the ends of processes that exceeded one.

use std::{fmt, process::ExitStatus};

/// The limits of a server's resources. `None` sets no limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Limits {
    /// The most memory that each process may write to, in MiB.
    pub memory_mb: Option<u64>,
    /// The most processes and threads.
    pub processes: Option<u64>,
    /// The most files that each process may have open.
    pub open_files: Option<u64>,
    /// The largest file, in MiB.
    pub file_mb: Option<u64>,
    /// The most CPU time of each process, in seconds.
    pub cpu_secs: Option<u64>,
}

impl Limits {
    /// The default limits of a confined server: those that the system can hold for one server.
    pub const CONFINED: Self = Self {
        memory_mb: if cfg!(target_os = "macos") { None } else { Some(2048) },
        processes: if cfg!(target_os = "macos") { None } else { Some(256) },
        open_files: Some(1024),
        file_mb: Some(1024),
        cpu_secs: None,
    };

    /// Returns these limits, completed by those of `others`.
    #[must_use]
    pub fn or(self, others: Self) -> Self {
        Self {
            memory_mb: self.memory_mb.or(others.memory_mb),
            processes: self.processes.or(others.processes),
            open_files: self.open_files.or(others.open_files),
            file_mb: self.file_mb.or(others.file_mb),
            cpu_secs: self.cpu_secs.or(others.cpu_secs),
        }
    }

    /// Returns whether no limit is set.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the limit that a process exceeded, if its exit status shows it: the limits of CPU time and of files end a process by
    /// specific
    /// signals. A shell reports the signal that ended its program as 128 and the signal's number. Only Linux sets limits.
    #[must_use]
    pub fn exceeded(&self, status: ExitStatus) -> Option<ExceededLimit> {
        #[cfg(target_os = "linux")]
        {
            use std::os::unix::process::ExitStatusExt;
            let of_program = || status.code().and_then(|code| code.checked_sub(128));
            match status.signal().or_else(of_program)? {
                libc::SIGXCPU => self.cpu_secs.map(ExceededLimit::CpuTime),
                libc::SIGXFSZ => self.file_mb.map(ExceededLimit::FileSize),
                _ => None,
            }
        }
        #[cfg(not(target_os = "linux"))]
        {
            let _ = status;
            None
        }
    }
}

/// A limit that a process exceeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExceededLimit {
    /// The limit of CPU time, in seconds.
    CpuTime(u64),
    /// The limit of the size of a file, in MiB.
    FileSize(u64),
}

impl ExceededLimit {
    /// Returns the key of the limit in `[servers.confinement]`.
    #[must_use]
    pub const fn key(self) -> &'static str {
        match self {
            Self::CpuTime(_) => "cpu_secs",
            Self::FileSize(_) => "file_mb",
        }
    }
}

impl fmt::Display for ExceededLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let key = self.key();
        match self {
            Self::CpuTime(seconds) => {
                write!(f, "its process used more than {seconds} s of CPU time (confinement.{key})")
            }
            Self::FileSize(mib) => {
                write!(f, "its process wrote a file of more than {mib} MiB (confinement.{key})")
            }
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::os::unix::process::ExitStatusExt;

    const ALL: Limits = Limits { file_mb: Some(5), cpu_secs: Some(2), ..Limits::CONFINED };

    fn signal(number: i32) -> ExitStatus {
        ExitStatus::from_raw(number)
    }

    fn code(code: i32) -> ExitStatus {
        ExitStatus::from_raw(code << 8)
    }

    #[test]
    fn a_limit_s_signal_names_it_even_through_a_shell() {
        for ended in [signal(libc::SIGXCPU), code(128 + libc::SIGXCPU)] {
            assert_eq!(ALL.exceeded(ended), Some(ExceededLimit::CpuTime(2)));
        }
        for ended in [signal(libc::SIGXFSZ), code(128 + libc::SIGXFSZ)] {
            assert_eq!(ALL.exceeded(ended), Some(ExceededLimit::FileSize(5)));
        }
        let texts = [ExceededLimit::CpuTime(2), ExceededLimit::FileSize(5)].map(|limit| limit.to_string());
        assert_eq!(texts[0], "its process used more than 2 s of CPU time (confinement.cpu_secs)");
        assert_eq!(texts[1], "its process wrote a file of more than 5 MiB (confinement.file_mb)");
    }

    #[test]
    fn another_end_or_an_unset_limit_names_none() {
        for ended in [signal(libc::SIGKILL), signal(libc::SIGTERM), code(0), code(1), code(libc::SIGXCPU)] {
            assert_eq!(ALL.exceeded(ended), None, "{ended}");
        }
        let none = Limits::default();
        assert!(none.is_empty() && !ALL.is_empty());
        for ended in [signal(libc::SIGXCPU), signal(libc::SIGXFSZ)] {
            assert_eq!(none.exceeded(ended), None);
        }
    }

    #[test]
    fn limits_that_are_set_win() {
        let set = Limits { memory_mb: Some(16), cpu_secs: Some(1), ..Limits::default() };
        let expected = Limits { memory_mb: Some(16), cpu_secs: Some(1), ..Limits::CONFINED };
        assert_eq!(set.or(Limits::CONFINED), expected);
    }
}
