//! Connects to a server: opens a connection and performs the handshake. If probing the era ended the server, both are repeated.

use super::{LastEra, handshake::Era};
use super::{
    ServerConnection, ServerSession,
    handshake::{EraChoice, HandshakeError, Hello, shake_hands},
};
#[cfg(feature = "http")]
use mgp_transport::seam::CallError;
#[cfg(feature = "http")]
use mgp_types::error::ErrorCode;
use std::{fmt, io, time::Duration};
use tokio::time::Instant;

/// The error of a failed connection to a server.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum ConnectError {
    /// The process could not be started.
    #[error("{0}")]
    Start(#[from] io::Error),
    /// The URL or the configuration of the HTTP client is invalid.
    #[cfg(feature = "http")]
    #[error("{0}")]
    Http(#[from] mgp_transport::http::client::HttpClientError),
    /// The server did not accept the connection.
    #[error("{0}")]
    Handshake(#[from] HandshakeError),
    /// The handshake took too long.
    #[error("the handshake took longer than {0:?}")]
    Timeout(Duration),
    /// No server answers at the URL.
    #[cfg(feature = "http")]
    #[error("could not connect to {server}: {reason}")]
    Unreachable {
        /// Scheme, host and port. The rest of the URL may contain a secret.
        server: String,
        /// The failure.
        reason: String,
    },
    /// The handshake with a child process failed.
    #[cfg(feature = "child")]
    #[error("{error}; {report}")]
    Child {
        /// The error of the handshake.
        error: Box<ConnectError>,
        /// The name of the process, its exit status, and its last lines on stderr.
        report: String,
    },
}

// A `main` that returns the error prints this form.
impl fmt::Debug for ConnectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(feature = "http")]
impl ConnectError {
    /// Adds the server's address to the error if no server answers there. The error of the transport contains no URL, because a URL may
    /// contain a secret.
    #[must_use]
    pub fn at(self, url: &str) -> Self {
        match self {
            Self::Handshake(HandshakeError::Call(CallError::Peer(error)))
                if error.code == i64::from(ErrorCode::UpstreamUnavailable) =>
            {
                let server = http::Uri::try_from(url).ok().and_then(|uri| {
                    // The name and password that may precede the host are removed.
                    let host = uri.authority()?.as_str().rsplit('@').next()?.to_owned();
                    Some(format!("{}://{host}", uri.scheme_str()?))
                });
                let server = server.unwrap_or_else(|| "the server".to_owned());
                Self::Unreachable { server, reason: error.message }
            }
            error => error,
        }
    }
}

/// A connection after its handshake.
pub struct AgreedConnection {
    pub connection: ServerConnection,
    pub session: ServerSession,
    /// The rest of the time limit.
    pub left: Duration,
}

/// Opens a connection and performs the handshake, each attempt within `limit`. A server that ends when it is probed is opened once
/// more, without the probe. `last` contains the server's last known era, if any. Without it and without a choice, the kind of the
/// connection decides.
///
/// # Errors
/// [`ConnectError`].
pub async fn connect<O: Future<Output = Result<ServerConnection, ConnectError>>>(
    open: impl Fn() -> O,
    hello: Hello,
    choice: Option<EraChoice>,
    last: &LastEra,
    limit: Duration,
) -> Result<AgreedConnection, ConnectError> {
    let choice = last.take().map(EraChoice::Known).or(choice);
    let greeted = match greet(open().await?, hello.clone(), choice, limit).await {
        Err(ConnectError::Handshake(HandshakeError::EndedByProbe)) => {
            greet(open().await?, hello, Some(EraChoice::Known(Era::Initialize)), limit).await
        }
        greeted => greeted,
    };
    // After a failure, the server may be replaced by another program, so the next attempt probes.
    greeted.inspect(|connected| last.set(connected.session.greeting.era()))
}

/// Performs the handshake over a connection, whose kind determines the era if there is no choice.
///
/// # Errors
/// [`ConnectError`].
pub async fn greet(
    connection: ServerConnection,
    hello: Hello,
    choice: Option<EraChoice>,
    limit: Duration,
) -> Result<AgreedConnection, ConnectError> {
    let choice = choice.unwrap_or_else(|| connection.era_choice());
    let choice = choice.within(limit);
    let (began, peer, clock) = (Instant::now(), connection.peer().clone(), connection.clock());
    // Boxed, once for each connection: the steps of the handshake would make every surrounding future large.
    let greeting = Box::pin(shake_hands(&peer, hello, choice, &clock));
    let error = match tokio::time::timeout(limit, greeting).await {
        Ok(Ok(greeting)) => {
            let left = limit.saturating_sub(began.elapsed());
            let session = ServerSession::new(peer, greeting, connection.has_one_stream());
            return Ok(AgreedConnection { connection, session, left });
        }
        Ok(Err(error @ HandshakeError::EndedByProbe)) => return Err(error.into()),
        Ok(Err(error)) => error.into(),
        Err(_) => ConnectError::Timeout(limit),
    };
    #[cfg(feature = "child")]
    {
        let mut connection = connection;
        if let Some(report) = connection.report().await {
            return Err(ConnectError::Child { error: Box::new(error), report });
        }
    }
    Err(error)
}
