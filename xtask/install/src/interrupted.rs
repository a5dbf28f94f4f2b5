//! A signal that ends the run.

/// Waits for a signal: Ctrl-C, or a request to terminate.
#[cfg(unix)]
pub async fn interrupted() {
    use tokio::signal::unix::{SignalKind, signal};
    let Ok(mut terminate) = signal(SignalKind::terminate()) else { return std::future::pending().await };
    tokio::select! {
        _ = terminate.recv() => {}
        _ = tokio::signal::ctrl_c() => {}
    }
}

/// Waits for a signal: Ctrl-C.
#[cfg(not(unix))]
pub async fn interrupted() {
    let _ = tokio::signal::ctrl_c().await;
}
