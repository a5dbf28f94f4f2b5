//! `mgp/lifecycle/shutdown` on the server side.

use crate::{
    gate::{Drain, Gate},
    state::Outlook,
};
use mgp_transport::seam::{Incoming, Reply, Role, Routes, Session};
use mgp_types::{
    context::Principal,
    error::ErrorCode,
    lifecycle::{ServerState, Shutdown, ShutdownParams, ShutdownReason},
    rpc::ErrorObject,
};
use std::time::Duration;
use tokio::sync::mpsc;

/// The time limit of calls in flight if the request does not set one.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(30);

/// The longest time limit that a request can set.
const MAX_TIMEOUT: Duration = Duration::from_secs(60 * 60);

/// The mark on the session of a peer that may stop this server, because the peer started the server or runs it in its own process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Owner;

/// The method `mgp/lifecycle/shutdown`: the server drains from then on, and [`ShutdownRequest`] receives the request.
///
/// The request is obeyed if the peer's session holds an [`Owner`] or, where [`admins`](Self::admins) allows it, if the
/// caller is a principal with the admin role.
#[derive(Debug, Clone)]
pub struct ShutdownMethod {
    gate: Gate,
    stop: mpsc::Sender<Stop>,
    admins: bool,
}

/// The receiver of the request to stop.
#[derive(Debug)]
pub struct ShutdownRequest(mpsc::Receiver<Stop>);

/// A request to stop that was accepted.
#[derive(Debug)]
pub struct Stop {
    /// The reason that the request gives.
    pub reason: ShutdownReason,
    /// The drain that the request began. Close the transport once the drain is finished.
    pub drain: Drain,
}

/// Creates the method that answers `mgp/lifecycle/shutdown` for the server that the gate belongs to, and the receiver of
/// its request.
#[must_use]
pub fn shutdown(gate: Gate) -> (ShutdownMethod, ShutdownRequest) {
    // One place is enough: a server drains once.
    let (stop, stopped) = mpsc::channel(1);
    (ShutdownMethod { gate, stop, admins: false }, ShutdownRequest(stopped))
}

impl ShutdownRequest {
    /// Waits for a request to stop the server. Returns `None` if no request can come any more.
    pub async fn wait(&mut self) -> Option<Stop> {
        self.0.recv().await
    }

    /// Returns a request that was accepted and not yet waited for, if any.
    pub fn try_next(&mut self) -> Option<Stop> {
        self.0.try_recv().ok()
    }
}

impl ShutdownMethod {
    /// Returns the method, with [the rights of its caller](Self) checked by the handler.
    #[must_use]
    pub fn routes() -> Routes<Self> {
        Routes::new()
            .route(Shutdown, Role::Anyone, async |shutdown: Self, message| Ok(shutdown.answer(&message)?))
    }

    /// Sets whether a principal with the admin role is obeyed over any connection. The default is no.
    #[must_use]
    pub fn admins(mut self, yes: bool) -> Self {
        self.admins = yes;
        self
    }

    fn check_caller(&self, incoming: &Incoming) -> Result<(), ErrorObject> {
        let session = incoming.session();
        if session.is_some_and(Session::has::<Owner>) {
            return Ok(());
        }
        let of_session = || session.and_then(Session::get::<Principal>);
        let principal = incoming.principal().cloned().or_else(of_session);
        match (self.admins, principal.is_some_and(|principal| principal.is_admin())) {
            (true, true) => Ok(()),
            (true, false) => {
                Err(ErrorCode::PermissionDenied.error("stopping the server needs the admin role"))
            }
            (false, _) => Err(ErrorCode::PermissionDenied
                .error("only the process that started the server may stop it, over its stdio or in memory")),
        }
    }

    fn answer(&self, incoming: &Incoming) -> Result<Reply, ErrorObject> {
        self.check_caller(incoming)?;
        let params: ShutdownParams = incoming.params.decode()?;
        let limit = params.timeout_ms.map_or(DEFAULT_TIMEOUT, Duration::from_millis).min(MAX_TIMEOUT);
        // A repeated request: the first request's reason and time limit remain.
        if self.gate.machine().state() == ServerState::Draining {
            return Ok(Reply::from_value(&self.gate.drain_answer(limit)));
        }
        let drain = self
            .gate
            .drain(params.reason.as_str(), limit, Outlook::Open)
            .map_err(|error| ErrorCode::ServerNotReady.error(error.to_string()))?;
        let answer = Reply::from_value(&drain.answer());
        if self.stop.try_send(Stop { reason: params.reason, drain }).is_err() {
            tracing::warn!("no receiver for the request to stop: the server drains and keeps running");
        }
        Ok(answer)
    }
}
