//! Serving over Streamable HTTP.

use super::{Server, ServerStack};
use crate::Error;
use mgp_transport::http::server::{HttpServer, HttpServerBuilder, ServeError};
use std::net::SocketAddr;

impl Server {
    /// Builds the server and serves it over Streamable HTTP at `/mcp`, until it is stopped by a peer that
    /// [may stop it](Self::shutdown_by_admins). An address that others can reach is refused: for keys, other hosts and bounds, start
    /// from [`ServerStack::http`].
    ///
    /// # Errors
    /// [`Error`]: the server cannot be built, or the address cannot be bound.
    pub async fn serve_http(self, address: impl Into<SocketAddr>) -> Result<(), Error> {
        self.build()?.serve_http(address).await
    }
}

impl ServerStack {
    /// Returns a builder that serves the server over Streamable HTTP, for keys, tokens, hosts and bounds. Each session is a clone of the
    /// stack.
    ///
    /// ```
    /// use mgp_server_sdk::{Server, Tool};
    /// use mgp_transport::{http::server::HttpServer, seam::{Authenticate, BoxError}};
    /// use std::sync::Arc;
    ///
    /// /// `tokens` may be the `ResourceServer` of `mgp-security`, or anything else that can tell who calls.
    /// fn protected(tokens: Arc<dyn Authenticate>) -> Result<HttpServer, BoxError> {
    ///     let stack = Server::new("clock", "1.0.0").tool(Tool::new("now", "Tells the time", || async { "noon" })).build()?;
    ///     Ok(stack.http().authenticate(tokens).resource("https://tools.example/mcp".parse()?).build())
    /// }
    /// ```
    #[must_use]
    pub fn http(&self) -> HttpServerBuilder {
        let stack = self.clone();
        HttpServer::builder(move |_| (stack.service(), Some(stack.lane())))
    }

    /// Serves over Streamable HTTP. See [`Server::serve_http`].
    ///
    /// # Errors
    /// [`Error::Http`] if the address cannot be bound or served.
    pub async fn serve_http(&self, address: impl Into<SocketAddr>) -> Result<(), Error> {
        let mut serving = self.http().build().bind(address.into()).await?;
        tracing::info!(address = %serving.address(), "serving over HTTP");
        tokio::select! {
            ended = serving.ended() => return ended.map_err(|error| ServeError::Listen(error).into()),
            () = self.stopped() => {}
        }
        serving.shutdown().await;
        Ok(())
    }
}
