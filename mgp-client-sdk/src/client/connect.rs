//! Connects a client to its server and performs the handshake.

use super::{
    Client, ClientBuilder, ClientError, cache::Cache, caller::Caller, handlers::Inbound, owned::Owned,
    subscriptions::SessionListeners,
};
#[cfg(any(feature = "child", feature = "http"))]
use crate::handshake::HandshakeError;
use crate::{
    call_clock::CallClock,
    callbacks::RefusedCallbacks,
    handshake::{Era, EraChoice, Greeting, Hello, shake_hands},
    transport::Transport,
};
#[cfg(feature = "http")]
use mgp_transport::seam::CallError;
use mgp_transport::{
    connection::{Builder, Connection},
    seam::{Peer, boxed},
};
#[cfg(feature = "http")]
use mgp_types::error::ErrorCode;
use std::sync::Arc;
#[cfg(any(feature = "child", feature = "http"))]
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};

/// The longest wait for the end of a process whose handshake failed, so that the error can report how it ended.
#[cfg(feature = "child")]
const END_TO_COME: Duration = Duration::from_millis(500);

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
        let connection = self.connection(&inbound).over(input, output);
        let peer = connection.peer().clone();
        let owned = Owned::new(Transport::Stream(connection));
        self.greet(peer, inbound, owned, EraChoice::Known(Era::Initialize)).await
    }

    /// Starts a server as a child process and connects to it. The process ends with the client, see [`Client::close`]. A process
    /// that ends when it is asked which revisions it speaks is started once more, and not asked.
    ///
    /// # Errors
    /// [`ClientError`].
    #[cfg(feature = "child")]
    pub async fn connect_child(
        self,
        command: &mgp_transport::child::ChildCommand,
    ) -> Result<Client, ClientError> {
        match self.clone().greet_child(command).await {
            Err(ClientError::Handshake(HandshakeError::EndedByProbe)) => {
                self.era(EraChoice::Known(Era::Initialize)).greet_child(command).await
            }
            greeted => greeted,
        }
    }

    #[cfg(feature = "child")]
    async fn greet_child(self, command: &mgp_transport::child::ChildCommand) -> Result<Client, ClientError> {
        let inbound = self.inbound();
        let (connection, process) = command.connect(self.connection(&inbound))?;
        let peer = connection.peer().clone();
        let mut owned = Owned::with_process(Transport::Stream(connection), process);
        match self.clone().shake_hands(&peer, EraChoice::AUTO).await {
            Ok(greeting) => Ok(self.greeted(peer, inbound, greeting, owned)),
            Err(ended @ ClientError::Handshake(HandshakeError::EndedByProbe)) => Err(ended),
            Err(error) => {
                let Some(process) = owned.process() else { return Err(error) };
                let report = process.report(END_TO_COME).await;
                Err(ClientError::Child { error: Box::new(error), report })
            }
        }
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
        let connection =
            mgp_transport::http::client::HttpClient::connect(url, config, self.connection(&inbound))?;
        let (peer, renewals) = (connection.peer().clone(), connection.renewals());
        // Over HTTP, a server that does not answer may belong to either era.
        let choice = EraChoice::Auto { probe_time_limit: Duration::MAX };
        let greeted = self.greet(peer, inbound, Owned::new(Transport::Http(connection)), choice).await;
        let client = greeted.map_err(|error| unreachable_at(url, error))?;
        if client.greeting.era() == Era::Initialize {
            tokio::spawn(client.listeners.clone().keep(client.caller.clone(), renewals));
        }
        Ok(client)
    }

    fn inbound(&self) -> Inbound {
        let handlers = Arc::new(self.handlers.clone());
        Inbound {
            handlers,
            listeners: SessionListeners::default(),
            cache: Cache::new(self.cache),
            rest: self.service.clone(),
            clock: CallClock::default(),
            callbacks: RefusedCallbacks::default(),
        }
    }

    fn connection(&self, inbound: &Inbound) -> Builder<Inbound> {
        Connection::builder(inbound.clone()).config(self.config.clone())
    }

    async fn greet(
        self,
        peer: Peer,
        inbound: Inbound,
        owned: Owned,
        otherwise: EraChoice,
    ) -> Result<Client, ClientError> {
        let greeting = self.clone().shake_hands(&peer, otherwise).await?;
        Ok(self.greeted(peer, inbound, greeting, owned))
    }

    async fn shake_hands(self, peer: &Peer, otherwise: EraChoice) -> Result<Greeting, ClientError> {
        let capabilities = self.handlers.add_to(self.capabilities);
        let hello = Hello { client: self.info, capabilities, offered: self.offered };
        // Boxed, once for each connection: the steps of the handshake would make every surrounding future large.
        let greeting = Box::pin(shake_hands(peer, hello, self.era.unwrap_or(otherwise)));
        match tokio::time::timeout(self.time_limit, greeting).await {
            Ok(greeting) => Ok(greeting?),
            Err(_) => Err(ClientError::TimeLimit(self.time_limit)),
        }
    }

    fn greeted(self, peer: Peer, inbound: Inbound, greeting: Greeting, owned: Owned) -> Client {
        let (listeners, cache) = (inbound.listeners.clone(), inbound.cache.clone());
        let clock = inbound.clock.clone();
        let caller = Caller {
            peer,
            service: boxed(inbound),
            limits: self.limits,
            cache,
            #[cfg(feature = "check-results")]
            outputs: super::outputs::OutputSchemas::new(self.check_results),
            timeouts: self.timeouts,
            clock,
            notification_timeout: self.config.notification_timeout,
        };
        Client::new(caller, greeting, listeners, owned)
    }
}

/// Adds the server's address to the error if no server answers. The error of the transport holds no URL, because it may be shown to agents.
#[cfg(feature = "http")]
fn unreachable_at(url: &str, error: ClientError) -> ClientError {
    match error {
        ClientError::Handshake(HandshakeError::Call(CallError::Peer(error)))
            if error.code == i64::from(ErrorCode::UpstreamUnavailable) =>
        {
            let server = http::Uri::try_from(url).ok().and_then(|uri| {
                // Without the name and password that may stand before the host.
                let host = uri.authority()?.as_str().rsplit('@').next()?.to_owned();
                Some(format!("{}://{host}", uri.scheme_str()?))
            });
            let server = server.unwrap_or_else(|| "the server".to_owned());
            ClientError::Unreachable { server, reason: error.message }
        }
        error => error,
    }
}
