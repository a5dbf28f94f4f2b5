//! What `mgp status --json` prints, as far as the page shows it.

use mgp_types::lifecycle::KernelStatus;
use serde::Deserialize;

/// The answer of `mgp status`.
#[derive(Debug, Deserialize)]
pub(super) struct Status {
    pub(super) kernels: Vec<Gateway>,
    #[serde(default)]
    pub(super) questions: Option<Questions>,
}

/// A gateway of this machine.
#[derive(Debug, Deserialize)]
#[serde(transparent)]
pub(super) struct Gateway {
    pub(super) status: KernelStatus,
}

/// The numbers of questions that wait for a decision.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Questions {
    pub(super) permissions: u64,
    pub(super) calls: u64,
    pub(super) servers: u64,
    pub(super) definitions: u64,
}

impl Questions {
    pub(super) const fn sum(&self) -> u64 {
        self.permissions + self.calls + self.servers + self.definitions
    }
}
