//! The step at which a confinement failed, reported by the child to its parent: an error between fork and exec is only a number.

use super::calls;
use std::{
    fmt, io,
    os::fd::{AsFd, OwnedFd},
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
        // If the report fails, the parent still sees the error.
        let _ = calls::write(self.child.as_fd(), &[step as u8]);
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
