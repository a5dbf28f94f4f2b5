//! `[idempotency]`.

use super::checks::Checks;
use crate::config::{IdempotencyConfig, path::KeyPath};

/// The longest time for which a key can be kept, in seconds: a year.
const MAX_TTL: u64 = 31_536_000;

/// The most bytes of one caller that can be kept.
const MAX_TOTAL: usize = 16 * 1024 * 1024 * 1024;

pub(super) fn idempotency(config: &IdempotencyConfig, checks: &mut Checks<'_>) {
    let path = KeyPath::root().key("idempotency");
    checks.range(path.key("max_ttl_secs"), config.max_ttl_secs, 1..=MAX_TTL);
    checks.range(path.key("ttl_secs"), config.ttl_secs, 1..=config.max_ttl_secs.clamp(1, MAX_TTL));
    checks.range(path.key("wait_ms"), config.wait_ms, 0..=3_600_000);
    checks.range(path.key("max_keys"), config.max_keys, 1..=10_000_000);
    checks.range(path.key("max_bytes"), config.max_bytes, 0..=MAX_TOTAL);
    checks.range(path.key("max_answer_bytes"), config.max_answer_bytes, 0..=config.max_bytes);
}
