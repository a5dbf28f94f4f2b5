//! Connects a client to its server and performs the handshake.

use super::{
    Client, ClientBuilder, ClientError,
    cache::Cache,
    caller::Caller,
    handlers::{ActiveCallbacks, Inbound},
    owned::OwnedConnection,
    session_listeners::SessionListeners,
};
#[cfg(feature = "child")]
use crate::session::{LastEra, connect};
use crate::{
    call_clock::CallClock,
    callbacks::CallbackAnswers,
    session::{AgreedConnection, Hello, ServerConnection, greet},
};
use mgp_transport::{
    connection::{Builder, Connection},
    seam::boxed,
};
use std::sync::Arc;
use tokio::io::{AsyncRead, AsyncWrite};

impl ClientBuilder {
    /// Connects over a pair of byte streams.
    ///
    /// # Errors
    /// [`ClientError`].
    pub async fn connect(
        self,
        input: impl AsyncRead + Send + Unpin + 'static,
        output: impl AsyncWrite + Send + 'static,
    ) -> Result<Client, ClientError> {
        let inbound = self.inbound();
        let connection = ServerConnection::over(self.connection(&inbound).over(input, output));
        self.greet(connection, inbound).await
    }

    /// Starts a server as a child process and connects to it. The process ends with the client, see [`Client::close`]. A process
    /// that ends when it is probed is started again without the probe.
    ///
    /// # Errors
    /// [`ClientError`].
    #[cfg(feature = "child")]
    pub async fn connect_child(
        self,
        command: &mgp_transport::child::ChildCommand,
    ) -> Result<Client, ClientError> {
        let inbound = self.inbound();
        let open = || {
            let builder = self.connection(&inbound);
            async { Ok(ServerConnection::child(command, builder).await?) }
        };
        let connected = connect(open, self.hello(), self.era, &LastEra::default(), self.timeout).await?;
        Ok(self.connected(connected, inbound))
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
        let inbound = self.inbound();
        let connection = ServerConnection::http(url, config, self.connection(&inbound))?;
        let greeted = self.greet(connection, inbound).await;
        greeted.map_err(|error| error.at(url))
    }

    fn inbound(&self) -> Inbound {
        let handlers = Arc::new(self.handlers.clone());
        Inbound {
            handlers,
            listeners: SessionListeners::default(),
            cache: Cache::new(self.cache),
            rest: self.service.clone(),
            clock: CallClock::default(),
            callbacks: CallbackAnswers::default(),
            active_callbacks: ActiveCallbacks::default(),
        }
    }

    fn connection(&self, inbound: &Inbound) -> Builder<Inbound> {
        Connection::builder(inbound.clone()).config(self.config.clone())
    }

    fn hello(&self) -> Hello {
        Hello {
            client: self.info.clone(),
            capabilities: self.handlers.add_to(self.capabilities.clone()),
            offered: self.offered.map(|offered| self.handlers.add_extensions(offered)),
        }
    }

    async fn greet(self, connection: ServerConnection, inbound: Inbound) -> Result<Client, ClientError> {
        let connected = greet(connection, self.hello(), self.era, self.timeout).await?;
        Ok(self.connected(connected, inbound))
    }

    fn connected(
        self,
        AgreedConnection { connection, session, .. }: AgreedConnection,
        inbound: Inbound,
    ) -> Client {
        if let renewals @ Some(_) = connection.renewals() {
            let session = session.clone();
            tokio::spawn(async move { session.keep(renewals).await });
        }
        let (listeners, cache, clock) =
            (inbound.listeners.clone(), inbound.cache.clone(), inbound.clock.clone());
        let caller = Caller {
            session,
            service: boxed(inbound),
            limits: self.limits,
            cache,
            #[cfg(feature = "check-results")]
            outputs: super::outputs::OutputSchemas::new(self.check_results),
            timeouts: self.timeouts,
            retries: self.retries,
            cancel: None,
            clock,
            notification_timeout: self.config.notification_timeout,
        };
        Client { caller, listeners, owned: OwnedConnection::new(connection, self.close_timeout) }
    }
}
