//! `mgp/lifecycle/shutdown` on the side of a server.

use crate::gate::{Drain, Gate};
use mgp_transport::seam::{BoxError, Incoming, Reply};
use mgp_types::{
    error::ErrorCode,
    lifecycle::{ServerState, Shutdown, ShutdownParams, ShutdownReason},
    rpc::{Call, ErrorObject},
};
use std::{
    future::{Ready, ready},
    task::{Context, Poll},
    time::Duration,
};
use tokio::sync::mpsc;
use tower_service::Service;

/// How long calls in flight may take where the request does not say.
const DEFAULT_LIMIT: Duration = Duration::from_secs(30);

/// The longest that a request can ask for.
const LONGEST_LIMIT: Duration = Duration::from_secs(60 * 60);

/// Answers `mgp/lifecycle/shutdown`: the server drains from then on, and [`ShutdownRequest`] learns of it.
#[derive(Debug, Clone)]
pub struct ShutdownService {
    gate: Gate,
    stop: mpsc::Sender<Stop>,
}

/// Waits for the request to stop.
#[derive(Debug)]
pub struct ShutdownRequest(mpsc::Receiver<Stop>);

/// A request to stop that was accepted.
#[derive(Debug)]
pub struct Stop {
    /// Why.
    pub reason: ShutdownReason,
    /// The drain that it began. Once it is finished, the transport is to be closed.
    pub drain: Drain,
}

/// A service that answers `mgp/lifecycle/shutdown` for the server that the gate belongs to, and what waits for it.
#[must_use]
pub fn shutdown(gate: Gate) -> (ShutdownService, ShutdownRequest) {
    // One is enough: a server drains once.
    let (stop, stopped) = mpsc::channel(1);
    (ShutdownService { gate, stop }, ShutdownRequest(stopped))
}

impl ShutdownRequest {
    /// Ends when the server was asked to stop; `None` where nobody can ask any more.
    pub async fn wait(&mut self) -> Option<Stop> {
        self.0.recv().await
    }
}

impl ShutdownService {
    fn answer(&self, incoming: &Incoming) -> Result<Reply, ErrorObject> {
        if incoming.method != *Shutdown::METHOD {
            return Err(ErrorObject::method_not_found(&incoming.method));
        }
        let params: ShutdownParams = incoming.params.decode()?;
        let limit = params.timeout_ms.map_or(DEFAULT_LIMIT, Duration::from_millis).min(LONGEST_LIMIT);
        // Asked again: the first request's reason and time limit stay.
        if self.gate.machine().state() == ServerState::Draining {
            return Ok(Reply::from_value(&self.gate.drain_answer(limit)));
        }
        let drain = self
            .gate
            .drain(params.reason.as_str(), limit)
            .map_err(|error| ErrorCode::ServerNotReady.error(error.to_string()))?;
        let answer = Reply::from_value(&drain.answer());
        if self.stop.try_send(Stop { reason: params.reason, drain }).is_err() {
            tracing::warn!("nobody waits for the request to stop: the server drains and stays");
        }
        Ok(answer)
    }
}

impl Service<Incoming> for ShutdownService {
    type Response = Reply;
    type Error = BoxError;
    type Future = Ready<Result<Reply, BoxError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, incoming: Incoming) -> Self::Future {
        if incoming.is_notification() {
            return ready(Ok(Reply::none()));
        }
        ready(Ok(self.answer(&incoming).unwrap_or_else(Reply::error)))
    }
}
