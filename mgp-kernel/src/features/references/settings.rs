//! The settings of kept results.

use crate::ground::reference_store::RoomBounds;
use mgp_discovery::config::{ReferencesConfig, ResultLimits};
use std::{path::PathBuf, time::Duration};

/// The settings of kept results.
#[derive(Debug, Clone, Default)]
pub(crate) struct ReferenceSettings {
    pub(crate) bounds: ReferencesConfig,
    pub(crate) results: ResultLimits,
    /// The folder of the encrypted files; the system's folder of temporary files if `None`.
    pub(crate) folder: Option<PathBuf>,
    /// True if the program has its own gates or layers, which may read the arguments of any call.
    pub(crate) has_own_gates: bool,
    /// True if the arguments of every call are checked against their tool's input schema.
    pub(crate) checks_arguments: bool,
}

impl ReferenceSettings {
    /// Returns the bounds of kept results.
    pub(super) fn room(&self) -> RoomBounds {
        RoomBounds {
            results: self.bounds.max_results,
            bytes: self.bounds.max_bytes,
            total_results: self.bounds.max_total_results,
            total_bytes: self.bounds.max_total_bytes,
        }
    }

    pub(super) fn ttl(&self) -> Duration {
        Duration::from_secs(self.bounds.ttl_secs)
    }
}
