//! Serving until the process is asked to end.

use super::{HttpServerBuilder, RunningServer, ServeError};
use futures_util::future::{pending, select_all};
use tokio::net::ToSocketAddrs;

impl HttpServerBuilder {
    /// Builds the server, binds an address, prints the URL to stderr, and serves until the process is asked to end, as
    /// [`RunningServer::run`](super::RunningServer::run) does.
    ///
    /// ```no_run
    /// # use mgp_transport::http::server::{HttpServerBuilder, ServeError};
    /// # async fn serve(builder: HttpServerBuilder) -> Result<(), ServeError> {
    /// builder.stop_when(async { /* the end of the work, for example */ }).serve("127.0.0.1:8800").await
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns a [`ServeError`] if the address cannot be served.
    pub async fn serve(self, address: impl ToSocketAddrs) -> Result<(), ServeError> {
        let serving = self.build().bind(address).await?;
        eprintln!("serving on {}", serving.url());
        serving.run().await
    }
}

impl RunningServer {
    /// Serves until a signal given to [`HttpServerBuilder::stop_when`] resolves or the process is
    /// asked to end, by Ctrl-C or, on Unix, SIGTERM; then announces the end, drains and stops as [`announce_shutdown`](Self::announce_shutdown)
    /// and [`shutdown`](Self::shutdown) do.
    ///
    /// # Errors
    /// [`ServeError::Listen`] if the listener fails before that.
    pub async fn run(mut self) -> Result<(), ServeError> {
        let mut signals = self.stop_signals();
        signals.push(Box::pin(termination()));
        tokio::select! {
            ended = self.ended() => return ended.map_err(ServeError::Listen),
            _ = select_all(signals) => {}
        }
        self.announce_shutdown().await;
        tracing::info!(address = %self.address(), "draining the HTTP server");
        self.shutdown().await;
        Ok(())
    }
}

/// Waits until the process is asked to end. A signal that cannot be awaited never resolves the future, and ends the process as
/// usual.
async fn termination() {
    let interrupted = async {
        if let Err(error) = tokio::signal::ctrl_c().await {
            tracing::warn!(%error, "failed to wait for Ctrl-C");
            pending::<()>().await;
        }
    };
    #[cfg(unix)]
    let terminated = async {
        match tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
            Ok(mut signal) => drop(signal.recv().await),
            Err(error) => {
                tracing::warn!(%error, "failed to wait for SIGTERM");
                pending::<()>().await;
            }
        }
    };
    #[cfg(not(unix))]
    let terminated = pending::<()>();
    tokio::select! {
        () = interrupted => {}
        () = terminated => {}
    }
}
