//! Connections to an HTTP endpoint.

use super::{
    HttpClientConfig, HttpClientError,
    driver::{STREAM_FIRST, drive},
    link::Link,
    outbox::Outbox,
    stateless::ToolHeaders,
};
use crate::{
    connection::{Builder, ConnectionError},
    seam::{Peer, PeerService},
};
use std::{sync::Arc, time::Duration};
use tokio::{sync::watch, task::JoinHandle};

/// A client of Streamable HTTP endpoints.
///
/// ```no_run
/// use mgp_transport::{connection::Connection, http::client::{HttpClient, HttpClientConfig}, seam::{BoxError, Incoming, Reply}};
/// use mgp_types::json::RawJson;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), BoxError> {
/// let empty = tower::service_fn(|_: Incoming| async { Ok::<_, BoxError>(Reply::ok(RawJson::empty_object())) });
/// let config = HttpClientConfig { bearer: Some("key".into()), ..Default::default() };
/// let connection = HttpClient::connect("https://tools.example/mcp", config, Connection::builder(empty))?;
/// connection.peer().request_raw("ping", RawJson::empty_object()).await?;
/// connection.close().await;
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct HttpClient;

/// A connection to an HTTP endpoint. Dropping it ends the connection, and its session in the background.
#[derive(Debug)]
pub struct HttpConnection {
    peer: Peer,
    link: Arc<Link>,
    driver: Option<JoinHandle<()>>,
}

impl HttpClient {
    /// Connects to an endpoint. Nothing is sent before the first message; messages of the other side go to the builder's service.
    /// Must be called within a tokio runtime.
    ///
    /// # Errors
    /// Returns an [`HttpClientError`] if the URL or the configuration is invalid.
    pub fn connect<S: PeerService>(
        url: &str,
        config: HttpClientConfig,
        builder: Builder<S>,
    ) -> Result<HttpConnection, HttpClientError> {
        Self::connect_with(url, config, builder, STREAM_FIRST)
    }

    /// Connects to an endpoint. The session's own stream may take `stream_first` to open before anything else is sent.
    pub(super) fn connect_with<S: PeerService>(
        url: &str,
        config: HttpClientConfig,
        builder: Builder<S>,
        stream_first: Duration,
    ) -> Result<HttpConnection, HttpClientError> {
        let tools = ToolHeaders::default();
        let outbox = Outbox::new(config.calls, config.others, tools.clone());
        let bounds = (builder.bounds().max_frame, builder.bounds().batch);
        let (inbox, peer) = builder.start(outbox.clone());
        peer.session().set(tools);
        let link = Link::new(url, config, bounds).inspect_err(|_| peer.close())?;
        let link = Arc::new(link);
        let driver = tokio::spawn(drive(link.clone(), outbox, Arc::new(inbox), stream_first));
        Ok(HttpConnection { peer, link, driver: Some(driver) })
    }
}

impl HttpConnection {
    /// Returns the handle on the other side.
    #[must_use]
    pub fn peer(&self) -> &Peer {
        &self.peer
    }

    /// Returns a receiver for the number of times that the session was reopened because the server had forgotten it. The server
    /// has then also forgotten earlier requests, such as subscriptions.
    #[must_use]
    pub fn renewals(&self) -> watch::Receiver<u64> {
        self.link.epoch.subscribe()
    }

    /// Sends the waiting messages, closes the connection, and ends the session at the server. Takes at most twice the time limit
    /// for closing.
    pub async fn close(mut self) {
        let limit = self.link.config.close_timeout;
        if tokio::time::timeout(limit, self.peer.connection().outbound().flush()).await.is_err() {
            tracing::debug!(?limit, "messages were still unsent when the time limit for closing passed");
        }
        self.peer.close();
        self.join().await;
    }

    /// Waits until the connection is gone and its session ended. Returns the reason for the end.
    pub async fn closed(mut self) -> ConnectionError {
        self.join().await;
        self.peer.error()
    }

    async fn join(&mut self) {
        if let Some(driver) = self.driver.take() {
            // A driver that panicked has closed nothing; the drop does.
            let _ = driver.await;
        }
    }
}

impl Drop for HttpConnection {
    fn drop(&mut self) {
        self.peer.close();
    }
}
