//! The decision on whether a server may be called now.

use super::in_flight::InFlight;
use crate::state::{Outlook, ServerStatus, StateMachine};
use mgp_types::{
    error::{ErrorCode, Recovery},
    lifecycle::ServerState,
    rpc::ErrorObject,
};
use std::{fmt, sync::Arc};
use tokio::time::Instant;

/// The gate that admits calls to one server according to its state, and counts those in flight. Clones share the same server.
#[derive(Debug, Clone)]
pub struct Gate {
    machine: StateMachine,
    pub(super) in_flight: Arc<InFlight>,
}

/// A call in flight. It is counted until the permit is dropped, regardless of the outcome.
#[derive(Debug)]
pub struct Permit {
    in_flight: Arc<InFlight>,
    since: Instant,
}

/// The refusal of a call to a server that cannot be called now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GateRefusal {
    code: ErrorCode,
    message: String,
    outlook: Outlook,
}

impl Gate {
    /// Creates a gate that follows a server's state.
    #[must_use]
    pub fn new(machine: StateMachine) -> Self {
        Self { machine, in_flight: Arc::default() }
    }

    /// Returns the state that the gate follows.
    #[must_use]
    pub fn machine(&self) -> &StateMachine {
        &self.machine
    }

    /// Returns the number of calls in flight.
    #[must_use]
    pub fn in_flight(&self) -> usize {
        self.in_flight.count()
    }

    /// Admits a call if the server takes calls.
    ///
    /// # Errors
    /// [`GateRefusal`]: 2001 while the server drains, 2002 while it restarts, otherwise 2000.
    pub fn enter(&self) -> Result<Permit, GateRefusal> {
        self.in_flight.enter(|| self.check())?;
        Ok(Permit { in_flight: self.in_flight.clone(), since: Instant::now() })
    }

    /// Returns whether a call would be admitted now. Nothing is counted.
    ///
    /// # Errors
    /// As those of [`enter`](Self::enter).
    pub fn check(&self) -> Result<(), GateRefusal> {
        match self.machine.state() {
            ServerState::Connected => Ok(()),
            _ => match self.machine.status() {
                // The server came up between the two reads of its state.
                status if status.state == ServerState::Connected => Ok(()),
                status => Err(GateRefusal::new(self.machine.server_id(), &status)),
            },
        }
    }
}

impl Permit {
    /// Ends the call after an answer, and adds its duration to the mean that estimates are made from.
    pub fn answered(self) {
        self.in_flight.took(self.since.elapsed());
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.in_flight.leave();
    }
}

impl GateRefusal {
    fn new(server_id: &str, status: &ServerStatus) -> Self {
        let (code, why) = match status.state {
            ServerState::Restarting if matches!(status.outlook, Outlook::StartBy(_)) => {
                (ErrorCode::ServerRestarting, "is away, and is tried again")
            }
            ServerState::Draining => (ErrorCode::ServerDraining, "is stopping and takes no new calls"),
            ServerState::Restarting => (ErrorCode::ServerRestarting, "is being restarted"),
            ServerState::Registered => (ErrorCode::ServerNotReady, "is not started"),
            ServerState::Connecting => (ErrorCode::ServerNotReady, "is still connecting"),
            ServerState::Disconnected => (ErrorCode::ServerNotReady, "is stopped"),
            ServerState::Error | ServerState::Connected => (ErrorCode::ServerNotReady, "failed"),
        };
        let more = match status.outlook {
            Outlook::Replaced => {
                ", because its settings have changed: the call made again goes to the server with the new ones"
            }
            Outlook::Final => " and is not started again",
            Outlook::Open
            | Outlook::StartAt(_)
            | Outlook::StartBy(_)
            | Outlook::OnDemand
            | Outlook::FirstStart => "",
        };
        Self { code, message: format!("server {server_id:?} {why}{more}"), outlook: status.outlook }
    }

    /// Returns the error code that the caller gets.
    #[must_use]
    pub const fn code(&self) -> ErrorCode {
        self.code
    }

    /// Returns the reason for the refusal, in one sentence.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns the error that the caller gets. It names the time left until the server is started again, and advises
    /// against a retry if nothing will start the server again.
    #[must_use]
    pub fn to_error(&self) -> ErrorObject {
        let advice = Recovery::of(self.code);
        let advice = match self.outlook {
            Outlook::Open | Outlook::OnDemand | Outlook::FirstStart | Outlook::Replaced => advice,
            Outlook::StartAt(start) | Outlook::StartBy(start) => {
                let left = start.saturating_duration_since(Instant::now());
                advice.after_ms(u64::try_from(left.as_millis()).unwrap_or(u64::MAX))
            }
            Outlook::Final => advice.without_retry(),
        };
        self.code.error_with(self.message.clone(), advice)
    }
}

impl fmt::Display for GateRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for GateRefusal {}
