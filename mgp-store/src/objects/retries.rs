//! The bounds of requests to the store.

use object_store::{BackoffConfig, RetryConfig};
use std::time::Duration;

/// The most repetitions of a request that failed.
const REPETITIONS: usize = 2;

/// The time after which a request that failed is not repeated.
const PATIENCE: Duration = Duration::from_secs(10);

/// Returns the repetitions of requests: few, because a call waits for them.
pub(super) fn retries() -> RetryConfig {
    RetryConfig { backoff: BackoffConfig::default(), max_retries: REPETITIONS, retry_timeout: PATIENCE }
}
