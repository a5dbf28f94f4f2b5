//! Serving over Streamable HTTP.

use super::{Server, ServerStack};
use crate::Error;
use mgp_transport::http::server::{HttpServer, HttpServerBuilder, ToSocketAddrs};

impl Server {
    /// Builds the server, prints its URL to stderr, and serves it over Streamable HTTP at `/mcp`. It serves until the process is
    /// asked to end (Ctrl-C, SIGTERM) or a peer [with permission](Self::shutdown_by_admins) stops the server. Running calls end
    /// first. An address that others can reach is refused: for keys, other hosts and bounds, start from [`ServerStack::http`].
    ///
    /// # Errors
    /// Returns an [`Error`] if the server cannot be built, or the address cannot be bound.
    pub async fn serve_http(self, address: impl ToSocketAddrs) -> Result<(), Error> {
        self.build()?.serve_http(address).await
    }
}

impl ServerStack {
    /// Returns a builder that serves the server over Streamable HTTP, for keys, tokens, hosts and bounds. Each session is a clone
    /// of the stack. [`HttpServerBuilder::serve`] prints the URL, serves, and stops gracefully. It stops when the process is
    /// asked to end, when a peer with permission stops the server, or on a custom signal ([`HttpServerBuilder::stop_when`]).
    ///
    /// ```no_run
    /// use mgp_server_sdk::{Error, Principal, Server, Tool, http::ApiKey};
    ///
    /// # async fn serve() -> Result<(), Error> {
    /// let stack = Server::new("clock", "1.0.0").tool(Tool::new("now", "Tells the time", || "noon")).build()?;
    /// let (key, hash) = ApiKey::generate().map_err(Error::Random)?;
    /// eprintln!("the key: {key}");
    /// stack.http().api_key(hash, Principal::agent("ada")).serve("127.0.0.1:8800").await?;
    /// # Ok(()) }
    /// ```
    ///
    /// Tokens are verified by an implementation of [`Authenticate`](mgp_transport::seam::Authenticate):
    ///
    /// ```
    /// use mgp_server_sdk::{Server, Tool};
    /// use mgp_transport::{http::server::HttpServer, seam::{Authenticate, BoxError}};
    ///
    /// /// `tokens` may be the `ResourceServer` of `mgp-security`, or any other verifier of tokens.
    /// fn protected(tokens: impl Authenticate + 'static) -> Result<HttpServer, BoxError> {
    ///     let stack = Server::new("clock", "1.0.0").tool(Tool::new("now", "Tells the time", || async { "noon" })).build()?;
    ///     Ok(stack.http().authenticate(tokens).resource("https://tools.example/mcp".parse()?).build())
    /// }
    /// ```
    #[must_use]
    pub fn http(&self) -> HttpServerBuilder {
        let (stack, stopping) = (self.clone(), self.clone());
        let builder = HttpServer::builder(move |_| (stack.service(), Some(stack.lane())));
        builder.stop_when(async move { stopping.stopped().await })
    }

    /// Serves over Streamable HTTP. See [`Server::serve_http`].
    ///
    /// # Errors
    /// [`Error::Http`] if the address cannot be bound or served.
    pub async fn serve_http(&self, address: impl ToSocketAddrs) -> Result<(), Error> {
        Ok(self.http().serve(address).await?)
    }
}
