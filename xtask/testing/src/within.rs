//! The time limit of tests.

use std::time::Duration;

/// Waits for a future, and fails a test that would hang.
///
/// # Panics
/// If the future takes longer than half a minute.
pub async fn within<F: Future>(future: F) -> F::Output {
    tokio::time::timeout(Duration::from_secs(30), future).await.expect("nothing hangs")
}
