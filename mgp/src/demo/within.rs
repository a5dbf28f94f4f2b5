//! Waits with a time limit.

use super::findings::Interruption;
use std::time::Duration;

/// The time limit of each wait in a step. It is only reached if something is broken.
pub(super) const TIMEOUT: Duration = Duration::from_secs(30);

/// Waits for `work` until the time limit. The error names `what`.
pub(super) async fn within<T>(what: &str, work: impl Future<Output = T>) -> Result<T, Interruption> {
    let late = |_| Interruption::new(format!("waited {TIMEOUT:?} for {what}"));
    tokio::time::timeout(TIMEOUT, work).await.map_err(late)
}
