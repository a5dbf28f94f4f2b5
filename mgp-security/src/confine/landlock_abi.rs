//! The versions of Landlock, and the means that cover the gaps of old ones.

use std::fmt;

/// A version of Landlock's interface (ABI), which confinement uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct LandlockAbi(u8);

impl LandlockAbi {
    /// The oldest version, of Linux 5.13.
    pub const FIRST: Self = Self(1);
    /// The version that made moves between folders possible.
    pub(super) const MOVES: Self = Self(2);
    /// The version that restricts the truncation of files.
    pub(super) const TRUNCATE: Self = Self(3);
    /// The version that restricts TCP.
    pub(super) const TCP: Self = Self(4);
    /// The version that restricts the control of devices.
    pub(super) const DEVICES: Self = Self(5);
    /// The newest version that confinement uses, of Linux 6.12. It restricts signals and abstract sockets.
    pub const NEWEST: Self = Self(6);

    /// Returns the version with a number; `None` if the number is 0. Numbers past [`NEWEST`](Self::NEWEST) count as that one.
    #[must_use]
    pub fn from_number(number: u8) -> Option<Self> {
        (number > 0).then(|| Self(number).min(Self::NEWEST))
    }

    /// Returns the version of this machine, at most [`NEWEST`](Self::NEWEST); `None` if the machine has no Landlock.
    #[must_use]
    pub fn of_machine() -> Option<Self> {
        #[cfg(target_os = "linux")]
        {
            super::linux::landlock_abi().and_then(Self::from_number)
        }
        #[cfg(not(target_os = "linux"))]
        None
    }

    /// Returns the number of the version.
    #[must_use]
    pub const fn number(self) -> u8 {
        self.0
    }

    /// Returns the first Linux with this version.
    #[must_use]
    pub const fn linux(self) -> &'static str {
        match self.0 {
            0 | 1 => "5.13",
            2 => "5.19",
            3 => "6.2",
            4 => "6.7",
            5 => "6.10",
            _ => "6.12",
        }
    }

    /// Returns what this version does not restrict, and what restricts it instead or stays different.
    #[must_use]
    pub fn covers(self) -> Vec<&'static str> {
        let all = [
            (Self::NEWEST, "signals to other processes: a PID namespace"),
            (Self::NEWEST, "abstract Unix sockets: seccomp forbids Unix sockets"),
            (
                Self::DEVICES,
                "the control of devices: seccomp, and no device can be named besides the system's",
            ),
            (Self::TCP, "TCP: a network namespace, or seccomp; ports to listen on cannot be limited"),
            (Self::TRUNCATE, "the truncation of files: read-only mounts, and seccomp"),
            (Self::MOVES, "moves of files between folders: this version always refuses them"),
        ];
        all.iter().filter(|(version, _)| self < *version).map(|(_, cover)| *cover).collect()
    }
}

impl fmt::Display for LandlockAbi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ABI {}", self.0)
    }
}
