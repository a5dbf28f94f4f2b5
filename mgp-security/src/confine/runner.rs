//! The runners that confine a process, and those that this machine has.

use super::{ConfinementRunner, MissingPart};

/// A runner, with the part that this machine lacks for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunnerState {
    /// The runner.
    pub runner: ConfinementRunner,
    /// The missing part; `None` if the runner can be used.
    pub missing: Option<MissingPart>,
}

impl RunnerState {
    /// Tries the runners of this machine, each once in a process. May block for seconds.
    #[must_use]
    pub fn of_machine() -> Vec<Self> {
        #[cfg(target_os = "linux")]
        {
            let native = super::linux::refused_namespaces().map(|error| MissingPart {
                part: format!("namespaces of the gateway itself, which this machine refuses: {error}"),
                remedy: "install bubblewrap, or permit user namespaces (docs/confinement.md#runners)",
            });
            let bubblewrap = super::linux::usable_bubblewrap().err().map(|reason| MissingPart {
                part: reason.to_owned(),
                remedy: super::linux::BUBBLEWRAP_REMEDY,
            });
            vec![
                Self { runner: ConfinementRunner::Native, missing: native },
                Self { runner: ConfinementRunner::Bubblewrap, missing: bubblewrap },
            ]
        }
        #[cfg(not(target_os = "linux"))]
        Vec::new()
    }
}

/// Returns whether an automatic choice is bubblewrap: the gateway cannot make namespaces itself, and bubblewrap can.
#[cfg(target_os = "linux")]
pub(super) fn prefers_bubblewrap() -> bool {
    super::linux::refused_namespaces().is_some() && super::linux::usable_bubblewrap().is_ok()
}

/// Continues the start of a confined server if bubblewrap started this process for that, and does not return then. Otherwise, it lets
/// servers of this process be confined by bubblewrap. A program that confines servers calls it first in its `main`.
pub fn continue_start() {
    #[cfg(target_os = "linux")]
    super::linux::continue_start();
}
