//! The stream of a session, for messages that belong to no request.

use super::Host;
use crate::{
    ledger::Ledger,
    wire::{self, Connection, Events},
};
use serde_json::Value;
use tokio::task::JoinHandle;

/// An open stream, closed on drop.
#[derive(Debug)]
pub(super) struct EventStream(JoinHandle<()>);

impl EventStream {
    /// Opens the stream of a host's session. A stream without `read` is never read, so that the server's messages stay unsent.
    pub(super) async fn open(host: &Host, read: bool) -> Option<Self> {
        let session = host.session.as_ref()?;
        let headers =
            [("Mcp-Session-Id", session.id.as_str()), ("MCP-Protocol-Version", host.era.revision())];
        let request = wire::request("GET", &host.shared.endpoint, &headers, None);
        let mut connection = Connection::open(host.shared.endpoint.address).await.ok()?;
        connection.send(&request).await.ok()?;
        if !read {
            host.shared.ledger.fault("session streams that nobody reads");
        }
        let ledger = host.shared.ledger.clone();
        Some(Self(tokio::spawn(async move {
            if read {
                follow(&mut connection, &ledger).await;
            }
            // The connection stays open for as long as the host has the session.
            std::future::pending::<()>().await;
        })))
    }
}

/// Reads to the end. Neither answers nor questions belong here: both belong to a request's own stream.
async fn follow(connection: &mut Connection, ledger: &Ledger) {
    let Ok((head, mut body)) = connection.head().await else { return };
    let mut events = Events::default();
    while let Ok(Some(piece)) = connection.piece(&mut body).await {
        for data in events.take(&piece).iter().filter(|_| head.is_stream) {
            let message: Value = serde_json::from_str(data).unwrap_or_default();
            if message.get("result").is_some() || message.get("error").is_some() {
                ledger.stray("session stream");
            }
        }
    }
}

impl Drop for EventStream {
    fn drop(&mut self) {
        self.0.abort();
    }
}
