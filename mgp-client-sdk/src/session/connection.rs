//! A connection to a server, with its process if one was started.

use super::EraChoice;
#[cfg(feature = "http")]
use super::rights::ClockedRights;
use crate::call_clock::CallClock;
#[cfg(feature = "child")]
use mgp_transport::child::StderrTail;
#[cfg(feature = "child")]
use mgp_transport::child::{ChildCommand, ChildProcess, Grace};
#[cfg(feature = "http")]
use mgp_transport::http::client::{HttpClient, HttpClientConfig, HttpClientError, HttpConnection};
#[cfg(any(feature = "child", feature = "http"))]
use mgp_transport::{connection::Builder, seam::PeerService};
use mgp_transport::{
    connection::{Connection, ConnectionError},
    seam::Peer,
};
#[cfg(feature = "child")]
use std::io;
#[cfg(feature = "http")]
use std::sync::Arc;
use std::{process::ExitStatus, time::Duration};
use tokio::sync::watch;

/// The time for a process to end by itself after a failed start, so that its end can be reported.
#[cfg(feature = "child")]
const END_TO_COME: Duration = Duration::from_millis(500);

/// A connection to a server, with its process if one was started. Both end when it is dropped.
pub struct ServerConnection {
    transport: Transport,
    #[cfg(feature = "child")]
    process: Option<ChildProcess>,
}

/// The end of a connection and of its process, if one was started.
#[derive(Debug, Default)]
pub struct ClosedConnection {
    /// True if the process had ended by itself with success.
    pub is_success: bool,
    /// The exit status of the process; `None` if there was none, or its end could not be waited for.
    pub status: Option<ExitStatus>,
}

enum Transport {
    Stream(Connection),
    #[cfg(feature = "http")]
    Http {
        connection: HttpConnection,
        /// The clock that is paused while the client obtains rights at the server, which may involve a person.
        clock: CallClock,
    },
}

impl ServerConnection {
    fn new(transport: Transport) -> Self {
        Self {
            transport,
            #[cfg(feature = "child")]
            process: None,
        }
    }

    /// Creates a connection from byte streams.
    pub fn over(connection: Connection) -> Self {
        Self::new(Transport::Stream(connection))
    }

    /// Starts a server as a child process.
    #[cfg(feature = "child")]
    pub async fn child<S: PeerService>(command: &ChildCommand, builder: Builder<S>) -> io::Result<Self> {
        let (connection, process) = command.connect(builder).await?;
        Ok(Self { process: Some(process), ..Self::over(connection) })
    }

    /// Connects to a Streamable HTTP endpoint.
    #[cfg(feature = "http")]
    pub fn http<S: PeerService>(
        url: &str,
        mut config: HttpClientConfig,
        builder: Builder<S>,
    ) -> Result<Self, HttpClientError> {
        let clock = CallClock::default();
        if let Some(rights) = config.authorize.take() {
            config.authorize = Some(Arc::new(ClockedRights { rights, clock: clock.clone() }));
        }
        let connection = HttpClient::connect(url, config, builder)?;
        Ok(Self::new(Transport::Http { connection, clock }))
    }

    pub fn peer(&self) -> &Peer {
        match &self.transport {
            Transport::Stream(connection) => connection.peer(),
            #[cfg(feature = "http")]
            Transport::Http { connection, .. } => connection.peer(),
        }
    }

    /// Returns the clock of the server's answers, which is paused while the client obtains rights at the server.
    pub(super) fn clock(&self) -> CallClock {
        match &self.transport {
            Transport::Stream(_) => CallClock::default(),
            #[cfg(feature = "http")]
            Transport::Http { clock, .. } => clock.clone(),
        }
    }

    /// Returns the default choice of era: a server that can be opened again is probed.
    pub(super) fn era_choice(&self) -> EraChoice {
        match &self.transport {
            #[cfg(feature = "child")]
            Transport::Stream(_) if self.process.is_some() => EraChoice::AUTO,
            Transport::Stream(_) => EraChoice::STREAMS,
            #[cfg(feature = "http")]
            Transport::Http { .. } => EraChoice::AUTO,
        }
    }

    /// Returns `true` if all messages go over one byte stream.
    pub(super) fn has_one_stream(&self) -> bool {
        matches!(self.transport, Transport::Stream(_))
    }

    /// Returns a watch of the number of times that the session was renewed because the server had forgotten it; `None` for byte
    /// streams, which have no sessions of this kind.
    pub fn renewals(&self) -> Option<watch::Receiver<u64>> {
        match &self.transport {
            Transport::Stream(_) => None,
            #[cfg(feature = "http")]
            Transport::Http { connection, .. } => Some(connection.renewals()),
        }
    }

    /// Describes the end of the process and its last lines on stderr, which are usually the reason of a failed start; `None` if there is no
    /// process.
    #[cfg(feature = "child")]
    pub async fn report(&mut self) -> Option<String> {
        let mut report = self.process.as_mut()?.report(END_TO_COME).await;
        let unreadable = self.peer().unreadable_count();
        if unreadable > 0 {
            report.push_str(&format!("; {unreadable} lines of its stdout were not messages"));
        }
        Some(report)
    }

    /// Adds the end of the process and its last lines to the error of a failed start.
    #[cfg_attr(not(feature = "child"), expect(clippy::unused_async))]
    pub async fn explain(&mut self, error: String) -> String {
        #[cfg(feature = "child")]
        if let Some(report) = self.report().await {
            return format!("{error}; {report}");
        }
        error
    }

    /// Returns the last lines that the process wrote to stderr, if there are any.
    pub fn last_words(&self) -> Option<String> {
        #[cfg(feature = "child")]
        let words = self.process.as_ref().map(|process| process.last_words().join("\n"));
        #[cfg(not(feature = "child"))]
        let words: Option<String> = None;
        words.filter(|words| !words.is_empty())
    }

    /// Returns the last lines of the process's stderr, which outlive the connection; `None` if there is no process.
    #[cfg(feature = "child")]
    pub fn stderr(&self) -> Option<StderrTail> {
        self.process.as_ref().map(ChildProcess::stderr)
    }

    /// Returns whether a process was started for the connection.
    #[cfg(feature = "child")]
    pub fn has_process(&self) -> bool {
        self.process.is_some()
    }

    /// Closes the connection once the pending messages are written, or `limit` has passed. The process then has half of `grace` to react to
    /// the end of its input, and half of it to react to SIGTERM.
    pub async fn close(self, limit: Duration, grace: Duration) -> ClosedConnection {
        let name = self.peer().session().id().to_owned();
        let by_itself = match tokio::time::timeout(limit, self.transport.close()).await {
            Ok(reason) => matches!(reason, ConnectionError::Closed),
            Err(_) => {
                tracing::debug!(session = name, ?limit, "read nothing more while its connection was closed");
                false
            }
        };
        #[cfg(feature = "child")]
        if let Some(process) = self.process {
            match process.stop(Grace { stdin: grace / 2, terminate: grace / 2 }).await {
                Ok(status) => {
                    tracing::debug!(session = name, %status, "the process of a server ended");
                    return ClosedConnection {
                        is_success: by_itself && status.success(),
                        status: Some(status),
                    };
                }
                Err(error) => {
                    tracing::warn!(session = name, %error, "failed to end the process of a server");
                }
            }
        }
        let _ = (by_itself, grace);
        ClosedConnection::default()
    }
}

impl Transport {
    /// Closes the connection and waits until pending messages are written.
    async fn close(self) -> ConnectionError {
        match self {
            Self::Stream(connection) => {
                connection.peer().close();
                connection.closed().await
            }
            #[cfg(feature = "http")]
            Self::Http { connection, .. } => {
                connection.close().await;
                ConnectionError::Shutdown
            }
        }
    }
}
