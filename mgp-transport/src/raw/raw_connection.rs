//! A connection over any transport.

use bytes::Bytes;
#[cfg(feature = "http-client")]
use http::HeaderValue;
#[cfg(feature = "http-client")]
use parking_lot::Mutex;
#[cfg(feature = "http-client")]
use std::sync::Arc;
use std::{fmt, time::Duration};
use tokio::{sync::mpsc, task::JoinSet, time::Instant};

/// The most texts of the other side that wait to be read. Reading pauses until there is room.
pub(super) const WAITING: usize = 256;

/// A text of the other side, or the end of the connection.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum RawEvent {
    /// A line of a stream, or the data of a body or event over HTTP.
    Text(Bytes),
    /// A text that was longer than allowed and was skipped.
    TooLong,
    /// An HTTP status other than success, with the beginning of the body.
    Status(u16, String),
    /// An exchange over HTTP that failed, and the reason.
    Failed(String),
    /// The end of a stream, and the reason. Nothing comes after it.
    Closed(String),
}

/// A connection that does not interpret messages. It ends when it is dropped, with its process if one was started for it.
pub struct RawConnection {
    pub(super) outgoing: mpsc::Sender<String>,
    pub(super) events: mpsc::Receiver<RawEvent>,
    /// The tasks that read and write; they end with the connection.
    pub(super) tasks: JoinSet<()>,
    /// The value of the header `MCP-Protocol-Version`, over HTTP.
    #[cfg(feature = "http-client")]
    pub(super) version: Arc<Mutex<Option<HeaderValue>>>,
    #[cfg(feature = "child")]
    pub(super) process: Option<crate::child::ChildProcess>,
}

impl RawConnection {
    /// Sends a text: a line of a stream, or the body of a POST. Returns `false` if that is not possible within the limit.
    pub async fn send(&self, text: impl Into<String>, limit: Duration) -> bool {
        matches!(tokio::time::timeout(limit, self.outgoing.send(text.into())).await, Ok(Ok(())))
    }

    /// Sends a text if there is room for it. Returns `false` if there is none, or the connection has ended.
    pub fn try_send(&self, text: impl Into<String>) -> bool {
        self.outgoing.try_send(text.into()).is_ok()
    }

    /// Sets the revision that each later request over HTTP names in its header. Returns `false` if the text is not a valid header value.
    #[cfg(feature = "http-client")]
    pub fn set_version(&self, version: &str) -> bool {
        let value = HeaderValue::from_str(version).ok();
        let is_set = value.is_some();
        *self.version.lock() = value;
        is_set
    }

    /// Waits until a deadline for the next text. Returns `None` at the deadline, and at once after the connection's end.
    pub async fn next(&mut self, until: Instant) -> Option<RawEvent> {
        tokio::time::timeout_at(until, self.events.recv()).await.ok().flatten()
    }

    /// Ends the connection. A process that was started for it has `limit` to notice the end of its input, and then `limit` again
    /// after SIGTERM.
    pub async fn close(self, limit: Duration) {
        drop(self.outgoing);
        let mut tasks = self.tasks;
        // The task that writes ends first: it closes the input of a process, or ends the session over HTTP.
        let _ = tokio::time::timeout(limit, tasks.join_next()).await;
        tasks.shutdown().await;
        #[cfg(feature = "child")]
        if let Some(process) = self.process {
            let grace = crate::child::Grace { stdin: limit, terminate: limit };
            let _ = process.stop(grace).await;
        }
    }

    /// Describes the process that was started for the connection: whether it runs, and its last lines on stderr. `None` without a
    /// process.
    pub async fn report(&mut self, limit: Duration) -> Option<String> {
        #[cfg(feature = "child")]
        if let Some(process) = &mut self.process {
            return Some(process.report(limit).await);
        }
        let _ = limit;
        std::future::ready(None).await
    }
}

impl fmt::Debug for RawConnection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RawConnection").finish_non_exhaustive()
    }
}
