//! Waits with a time limit.

use super::findings::Interrupted;
use std::time::Duration;

/// The time limit of each wait of a step, which is only reached if something is broken.
pub(super) const TIME_LIMIT: Duration = Duration::from_secs(5);

/// Waits for `work` until the time limit; the error names `what` was waited for.
pub(super) async fn within<T>(what: &str, work: impl Future<Output = T>) -> Result<T, Interrupted> {
    let late = |_| Interrupted::new(format!("waited {TIME_LIMIT:?} for {what}"));
    tokio::time::timeout(TIME_LIMIT, work).await.map_err(late)
}
