//! Waiting, with a time limit.

use super::findings::Interrupted;
use std::time::Duration;

/// How long one step waits for anything. It only passes where something is broken.
pub(super) const TIME_LIMIT: Duration = Duration::from_secs(5);

/// Waits for something, and says what it was where it does not come.
pub(super) async fn within<T>(what: &str, work: impl Future<Output = T>) -> Result<T, Interrupted> {
    let late = |_| Interrupted::new(format!("waited {TIME_LIMIT:?} for {what}"));
    tokio::time::timeout(TIME_LIMIT, work).await.map_err(late)
}
