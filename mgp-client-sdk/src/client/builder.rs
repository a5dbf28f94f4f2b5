//! Puts a client together and connects it.

use super::{Client, ClientError, inbound::Inbound};
use crate::handshake::shake_hands;
use mgp_transport::{
    connection::{Config, Connection},
    seam::{BoxPeerService, Peer, PeerService, boxed},
};
use mgp_types::{
    mcp::{ClientCapabilities, Implementation},
    negotiation::ExtensionSet,
};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};

/// What a client is made of. Start with [`Client::builder`].
#[derive(Debug, Clone)]
pub struct ClientBuilder {
    info: Implementation,
    capabilities: ClientCapabilities,
    offered: Option<ExtensionSet>,
    service: BoxPeerService,
    config: Config,
    time_limit: Duration,
}

impl ClientBuilder {
    pub(super) fn new(name: &str, version: &str) -> Self {
        Self {
            info: Implementation::new(name, version),
            capabilities: ClientCapabilities::default(),
            offered: Some(ExtensionSet::ALL),
            service: boxed(Inbound),
            config: Config::default(),
            time_limit: Duration::from_secs(30),
        }
    }

    /// What the client can do for the server, such as elicitation. What it can do must be answered by
    /// [`service`](Self::service).
    #[must_use]
    pub fn capabilities(mut self, capabilities: ClientCapabilities) -> Self {
        self.capabilities = capabilities;
        self
    }

    /// The MGP extensions to offer; all otherwise.
    #[must_use]
    pub fn offer(mut self, extensions: ExtensionSet) -> Self {
        self.offered = Some(extensions);
        self
    }

    /// Makes it a plain MCP client, which offers nothing of MGP.
    #[must_use]
    pub fn without_mgp(mut self) -> Self {
        self.offered = None;
        self
    }

    /// Handles what the server sends: its requests, and notifications that belong to no call.
    #[must_use]
    pub fn service(mut self, service: impl PeerService) -> Self {
        self.service = boxed(service);
        self
    }

    /// The bounds of the connection.
    #[must_use]
    pub fn config(mut self, config: Config) -> Self {
        self.config = config;
        self
    }

    /// How long the handshake may take; 30 seconds otherwise.
    #[must_use]
    pub fn time_limit(mut self, limit: Duration) -> Self {
        self.time_limit = limit;
        self
    }

    /// Connects over a pair of byte streams.
    ///
    /// # Errors
    /// [`ClientError`].
    pub async fn connect(
        self,
        input: impl AsyncRead + Send + Unpin + 'static,
        output: impl AsyncWrite + Send + 'static,
    ) -> Result<Client, ClientError> {
        let connection = self.connection().over(input, output);
        let peer = connection.peer().clone();
        self.greet(peer, Box::new(connection)).await
    }

    /// Starts a server as a child process and connects to it. The process ends with the client.
    ///
    /// # Errors
    /// [`ClientError`].
    #[cfg(feature = "child")]
    pub async fn connect_child(
        self,
        command: &mgp_transport::child::ChildCommand,
    ) -> Result<Client, ClientError> {
        let (connection, process) = command.connect(self.connection())?;
        let peer = connection.peer().clone();
        self.greet(peer, Box::new((connection, process))).await
    }

    /// Connects to a Streamable HTTP endpoint.
    ///
    /// # Errors
    /// [`ClientError`].
    #[cfg(feature = "http")]
    pub async fn connect_http(
        self,
        url: &str,
        config: mgp_transport::http::client::HttpClientConfig,
    ) -> Result<Client, ClientError> {
        let connection = mgp_transport::http::client::HttpClient::connect(url, config, self.connection())?;
        let peer = connection.peer().clone();
        self.greet(peer, Box::new(connection)).await
    }

    fn connection(&self) -> mgp_transport::connection::Builder<BoxPeerService> {
        Connection::builder(self.service.clone()).config(self.config.clone())
    }

    async fn greet(
        self,
        peer: Peer,
        owned: Box<dyn std::any::Any + Send + Sync>,
    ) -> Result<Client, ClientError> {
        let greeting = shake_hands(&peer, self.info, self.capabilities, self.offered);
        match tokio::time::timeout(self.time_limit, greeting).await {
            Ok(greeting) => Ok(Client::new(peer, greeting?, owned)),
            Err(_) => Err(ClientError::TimeLimit(self.time_limit)),
        }
    }
}
