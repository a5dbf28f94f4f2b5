//! A connection to a server, over byte streams or HTTP.

use mgp_transport::connection::{Connection, ConnectionError};
#[cfg(feature = "kernel")]
use mgp_transport::seam::Peer;
#[cfg(feature = "kernel")]
use tokio::sync::watch;

/// The connection, which ends when the transport is dropped.
pub(crate) enum Transport {
    Stream(Connection),
    #[cfg(feature = "http")]
    Http(mgp_transport::http::client::HttpConnection),
}

impl Transport {
    #[cfg(feature = "kernel")]
    pub(crate) fn peer(&self) -> &Peer {
        match self {
            Self::Stream(connection) => connection.peer(),
            #[cfg(feature = "http")]
            Self::Http(connection) => connection.peer(),
        }
    }

    /// Returns a watch of the number of times that the session was opened again because the server had forgotten it. Returns `None`
    /// for byte streams, which have no such sessions.
    #[cfg(feature = "kernel")]
    pub(crate) fn renewals(&self) -> Option<watch::Receiver<u64>> {
        match self {
            Self::Stream(_) => None,
            #[cfg(feature = "http")]
            Self::Http(connection) => Some(connection.renewals()),
        }
    }

    /// Ends the connection and waits until what was under way is written.
    pub(crate) async fn close(self) -> ConnectionError {
        match self {
            Self::Stream(connection) => {
                connection.peer().close();
                connection.closed().await
            }
            #[cfg(feature = "http")]
            Self::Http(connection) => {
                connection.close().await;
                ConnectionError::Shutdown
            }
        }
    }
}
