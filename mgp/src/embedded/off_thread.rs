//! Work that blocks, away from the threads that carry messages.

use mgp_server_sdk::ToolError;

/// Runs work that waits for a disk. A call that is cancelled meanwhile no longer hears of it; the work itself is bounded.
pub(super) async fn off_thread<T: Send + 'static, E: std::fmt::Display + Send + 'static>(
    work: impl FnOnce() -> Result<T, E> + Send + 'static,
) -> Result<T, ToolError> {
    Ok(tokio::task::spawn_blocking(work).await??)
}
