//! Misbehavior of hosts in the middle of a request. These answers are not awaited, so they are counted separately.

use super::Host;
use crate::{
    ledger::{CallEnd, Ticket, Trace},
    wire::Connection,
};
use serde_json::{Value, json};
use std::{io, time::Duration};

/// The length of an unread answer, in bytes: more than the connection's buffers hold.
const LARGE_ANSWER: usize = 3 * 1024 * 1024;

/// A request that will be cut off.
struct DoomedRequest {
    ticket: Ticket,
    trace: Trace,
    bytes: Vec<u8>,
}

impl Host {
    /// Sends a request and resets the connection (RST) while it runs.
    pub(super) async fn reset_in_the_middle(&mut self) {
        self.shared.ledger.fault("connections that are reset in the middle of a request");
        let (tool, arguments) = match self.random.below(3) {
            0 => ("ask", json!({})),
            1 => ("progress", json!({"steps": 20, "ms": 20})),
            _ => ("slow", json!({"ms": self.random.within(100..1500)})),
        };
        let doomed = self.doomed(tool, &arguments);
        if let Ok(connection) = self.send_raw(&doomed.bytes).await {
            tokio::time::sleep(self.random.millis(0..400)).await;
            connection.reset();
        }
        self.cut(doomed);
    }

    /// Sends half of a request and resets the connection.
    pub(super) async fn send_half(&mut self) {
        self.shared.ledger.fault("requests of which half is sent");
        let mut doomed = self.doomed("echo", &json!({"text": "half"}));
        let half = self.random.below(doomed.bytes.len());
        doomed.bytes.truncate(half);
        if let Ok(connection) = self.send_raw(&doomed.bytes).await {
            tokio::time::sleep(self.random.millis(0..100)).await;
            connection.reset();
        }
        self.cut(doomed);
    }

    /// Sends a request whose answer is a long stream, reads its head, and then nothing for longer than the server waits.
    pub(super) async fn stop_reading(&mut self) {
        self.shared.ledger.fault("streams that a host stops to read");
        let doomed = self.doomed("progress", &json!({"steps": 5, "ms": 20, "bytes": LARGE_ANSWER}));
        if let Ok(mut connection) = self.send_raw(&doomed.bytes).await {
            let _ = tokio::time::timeout(Duration::from_secs(5), connection.head()).await;
            tokio::time::sleep(self.random.millis(1000..5000)).await;
        }
        self.cut(doomed);
    }

    /// Sends a request and disappears for good, with connection and session.
    pub(super) async fn vanish_in_the_middle(&mut self) {
        self.shared.ledger.fault("hosts that vanish in the middle of a request");
        let ms = self.random.within(100..1500);
        let doomed = self.doomed("slow", &json!({"ms": ms}));
        if let Ok(connection) = self.send_raw(&doomed.bytes).await {
            tokio::time::sleep(self.random.millis(0..200)).await;
            drop(connection);
        }
        self.cut(doomed);
        self.session = None;
    }

    /// Leaves a parked call without its answer.
    pub(super) async fn leave_a_question(&mut self) {
        self.shared.ledger.fault("questions that a host leaves");
        let trace = self.shared.ledger.trace();
        let params = self.params("ask", &json!({}));
        let heard = self.send_call("ask", params, trace).await;
        let end = match heard {
            Some(heard) if heard.asks().is_none() => heard.end(),
            Some(_) => CallEnd::Cut,
            None => CallEnd::Lost,
        };
        self.shared.ledger.call(trace, end);
    }

    fn doomed(&mut self, tool: &'static str, arguments: &Value) -> DoomedRequest {
        let (ticket, trace) = (self.shared.ledger.send(tool), self.shared.ledger.trace());
        let params = self.params(tool, arguments);
        let message = self.era.request(ticket.id(), "tools/call", params, Some(trace));
        let session = self.session.as_ref().map(|session| session.id.as_str());
        DoomedRequest { bytes: self.era.post(&self.shared.endpoint, session, &message), ticket, trace }
    }

    /// Sends bytes on a connection that no other request will use.
    async fn send_raw(&mut self, bytes: &[u8]) -> io::Result<Connection> {
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => Connection::open(self.shared.endpoint.address).await?,
        };
        connection.send(bytes).await?;
        Ok(connection)
    }

    fn cut(&self, doomed: DoomedRequest) {
        doomed.ticket.cut();
        self.shared.ledger.call(doomed.trace, CallEnd::Cut);
    }
}
