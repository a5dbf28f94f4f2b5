//! The file that remembers what was trusted: one JSON document with a version.

use super::FileHash;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The version that this program writes.
pub(super) const VERSION: u32 = 1;

/// How many files can be trusted at once.
pub(super) const MAX_FILES: usize = 10_000;

/// What was trusted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Record {
    /// The form of this document.
    pub(super) version: u32,
    /// The hash of each trusted file, by its path.
    pub(super) files: BTreeMap<String, FileHash>,
}

impl Default for Record {
    fn default() -> Self {
        Self { version: VERSION, files: BTreeMap::new() }
    }
}
