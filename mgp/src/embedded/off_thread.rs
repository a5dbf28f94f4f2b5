//! Blocking work, off the threads that carry messages.

use mgp_server_sdk::{ErrorType, Failure};

/// Runs work that waits for a disk. A cancelled call no longer receives the result; the work itself is bounded and runs
/// to its end.
pub(super) async fn off_thread<T: Send + 'static, E: Into<Failure> + Send + 'static>(
    work: impl FnOnce() -> Result<T, E> + Send + 'static,
) -> Result<T, Failure> {
    let worked = tokio::task::spawn_blocking(work).await;
    worked.map_err(|error| Failure::new(ErrorType::ToolExecutionError, error))?.map_err(Into::into)
}
