//! The settings of keys.

use super::EntryBounds;
use mgp_types::rpc::ErrorObject;
use std::time::Duration;

/// The settings of idempotent calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IdempotencySettings {
    /// The time for which a key is kept if its call states none.
    pub ttl: Duration,
    /// The longest time that a call may request for its key.
    pub max_ttl: Duration,
    /// The longest time that a call waits for the first call with its key.
    pub wait: Duration,
    /// The bounds on the kept entries.
    pub bounds: EntryBounds,
}

impl IdempotencySettings {
    /// Returns the time for which a key is kept.
    ///
    /// # Errors
    /// -32602 for a time above the maximum.
    pub(super) fn ttl(&self, asked: Option<u64>) -> Result<Duration, ErrorObject> {
        let ttl = asked.map_or(self.ttl.min(self.max_ttl), Duration::from_secs);
        if ttl <= self.max_ttl {
            return Ok(ttl);
        }
        Err(ErrorObject::invalid_params(format!(
            "invalid _meta.idempotency_ttl_seconds: expected at most {}, found {}",
            self.max_ttl.as_secs(),
            ttl.as_secs()
        )))
    }
}

impl Default for IdempotencySettings {
    fn default() -> Self {
        Self {
            ttl: Duration::from_secs(86_400),
            max_ttl: Duration::from_secs(604_800),
            wait: Duration::from_secs(45),
            bounds: EntryBounds { entries: 10_000, answer_bytes: 1024 * 1024, all_bytes: 64 * 1024 * 1024 },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_never_kept_longer_than_the_maximum() {
        let short =
            IdempotencySettings { max_ttl: Duration::from_secs(60), ..IdempotencySettings::default() };
        assert_eq!(short.ttl(None).unwrap(), Duration::from_secs(60));
        assert_eq!(short.ttl(Some(60)).unwrap(), Duration::from_secs(60));
        assert!(short.ttl(Some(61)).unwrap_err().message.contains("expected at most 60, found 61"));
    }
}
