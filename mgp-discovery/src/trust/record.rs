//! The record of the trusted files: one JSON document with a version.

use super::FileHash;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The version that this program writes.
pub(super) const VERSION: u32 = 1;

/// The most files that can be trusted at once.
pub(super) const MAX_FILES: usize = 10_000;

/// The trusted files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Record {
    /// The version of this document's format.
    pub(super) version: u32,
    /// The hash of each trusted file, by its path.
    pub(super) files: BTreeMap<String, FileHash>,
}

impl Default for Record {
    fn default() -> Self {
        Self { version: VERSION, files: BTreeMap::new() }
    }
}
