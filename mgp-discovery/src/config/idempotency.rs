//! `[idempotency]`: calls that carry a key and are made only once.

use serde::{Deserialize, Serialize};

/// The `[idempotency]` table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(transform = super::annotate::ordered::<Self>))]
#[serde(default, deny_unknown_fields)]
pub struct IdempotencyConfig {
    /// The time for which a key is kept if its call names no time, in seconds from the call on.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 31_536_000), extend("x-type" = "1 to `max_ttl_secs`")))]
    pub ttl_secs: u64,
    /// The longest time that a call may request in `idempotency_ttl_seconds`.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 31_536_000)))]
    pub max_ttl_secs: u64,
    /// The longest time that a call waits for the first one with its key, in milliseconds.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 3_600_000)))]
    pub wait_ms: u64,
    /// The most keys that one caller may have kept at once. A call with one more is refused.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 10_000_000)))]
    pub max_keys: usize,
    /// The longest answer that is kept, in bytes. Of a longer answer, only the fact is kept.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 17_179_869_184_u64), extend("x-type" = "0 to `max_bytes`")))]
    pub max_answer_bytes: usize,
    /// The most bytes that the kept answers of one caller may take.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 17_179_869_184_u64)))]
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
