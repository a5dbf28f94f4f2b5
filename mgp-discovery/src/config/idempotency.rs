//! `[idempotency]`: calls that carry a key and are made only once.

use serde::{Deserialize, Serialize};

/// The `[idempotency]` table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct IdempotencyConfig {
    /// The time for which a key is kept if its call states none, in seconds.
    pub ttl_secs: u64,
    /// The longest time that a call may request for its key, in seconds.
    pub max_ttl_secs: u64,
    /// The longest time that a call waits for the first call with its key, in milliseconds.
    pub wait_ms: u64,
    /// The most keys of one caller.
    pub max_keys: usize,
    /// The longest answer that is kept, in bytes.
    pub max_answer_bytes: usize,
    /// The most bytes of all kept answers of one caller.
    pub max_bytes: usize,
}

impl Default for IdempotencyConfig {
    fn default() -> Self {
        Self {
            ttl_secs: 86_400,
            max_ttl_secs: 604_800,
            wait_ms: 45_000,
            max_keys: 10_000,
            max_answer_bytes: 1024 * 1024,
            max_bytes: 64 * 1024 * 1024,
        }
    }
}
