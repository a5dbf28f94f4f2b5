//! The state of one server, and who is told when it changes.

use super::may_follow;
use mgp_types::lifecycle::ServerState;
use std::{fmt, sync::Arc};
use tokio::{sync::watch, time::Instant};

/// The state of one server. A clone is the same server's.
///
/// The kernel holds one for each of its servers and is the only one to move it; what a server says about itself is a
/// hint. A server holds one for itself, to refuse calls while it stops.
#[derive(Debug, Clone)]
pub struct StateMachine {
    server_id: Arc<str>,
    status: watch::Sender<ServerStatus>,
}

/// Where a server stands, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerStatus {
    /// Where it stands.
    pub state: ServerState,
    /// Why it came there.
    pub reason: Arc<str>,
    /// What is known of when it takes calls again.
    pub outlook: Outlook,
}

/// The prospect of a server that takes no calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Outlook {
    /// Nothing is known.
    #[default]
    Open,
    /// An attempt to start it is due at this time.
    StartAt(Instant),
    /// Nothing starts it again.
    Final,
}

/// That a server went from one state to another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transition {
    /// The server.
    pub server_id: Arc<str>,
    /// Where it stood.
    pub from: ServerState,
    /// Where it stands.
    pub to: ServerState,
    /// Why.
    pub reason: Arc<str>,
}

/// Why a state was refused: it cannot follow the one before. The server stays where it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IllegalTransition(Transition);

impl StateMachine {
    /// A server that is registered and not started.
    #[must_use]
    pub fn new(server_id: impl Into<Arc<str>>) -> Self {
        let status = ServerStatus {
            state: ServerState::Registered,
            reason: "registered".into(),
            outlook: Outlook::Open,
        };
        Self { server_id: server_id.into(), status: watch::Sender::new(status) }
    }

    /// The server.
    #[must_use]
    pub fn server_id(&self) -> &str {
        &self.server_id
    }

    /// Where the server stands.
    #[must_use]
    pub fn state(&self) -> ServerState {
        self.status.borrow().state
    }

    /// Where the server stands, and why.
    #[must_use]
    pub fn status(&self) -> ServerStatus {
        self.status.borrow().clone()
    }

    /// Sees the status now and each later one; one that was replaced before it was looked at is skipped.
    #[must_use]
    pub fn watch(&self) -> watch::Receiver<ServerStatus> {
        self.status.subscribe()
    }

    /// Moves the server to another state and tells who watches.
    ///
    /// # Errors
    /// [`IllegalTransition`] where the state cannot follow the one now. It is logged: it is a bug.
    pub fn transition(
        &self,
        to: ServerState,
        reason: impl Into<Arc<str>>,
    ) -> Result<Transition, IllegalTransition> {
        self.transition_with(to, reason, Outlook::Open)
    }

    /// Moves the server to another state and tells who watches, with what is known of when it takes calls again.
    ///
    /// # Errors
    /// [`IllegalTransition`] where the state cannot follow the one now. It is logged: it is a bug.
    pub fn transition_with(
        &self,
        to: ServerState,
        reason: impl Into<Arc<str>>,
        outlook: Outlook,
    ) -> Result<Transition, IllegalTransition> {
        let reason = reason.into();
        let mut from = to;
        // Looking and moving are one step, so that of two who want the last word one is refused.
        let moved = self.status.send_if_modified(|status| {
            from = status.state;
            let legal = may_follow(from, to);
            if legal {
                *status = ServerStatus { state: to, reason: reason.clone(), outlook };
            }
            legal
        });
        let transition = Transition { server_id: self.server_id.clone(), from, to, reason };
        if !moved {
            let refused = IllegalTransition(transition);
            tracing::error!(server = &*self.server_id, error = %refused, "illegal state transition refused");
            return Err(refused);
        }
        tracing::info!(server = &*self.server_id, %from, %to, reason = &*transition.reason, "server state");
        Ok(transition)
    }
}

impl StateMachine {
    /// Notes when the server takes calls again, until its state is another one. Who watches is not told.
    pub fn set_outlook(&self, outlook: Outlook) {
        self.status.send_if_modified(|status| {
            status.outlook = outlook;
            false
        });
    }
}

impl IllegalTransition {
    /// What was asked for.
    #[must_use]
    pub const fn transition(&self) -> &Transition {
        &self.0
    }
}

impl fmt::Display for IllegalTransition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Transition { server_id, from, to, reason } = &self.0;
        write!(f, "server {server_id:?} cannot go from {from} to {to} ({reason})")
    }
}

impl std::error::Error for IllegalTransition {}

#[cfg(test)]
mod tests {
    use super::*;

    /// A machine in a state, by the shortest legal way.
    fn machine_in(state: ServerState) -> StateMachine {
        use ServerState::{Connected, Connecting, Disconnected, Draining, Error, Registered, Restarting};
        let way: &[ServerState] = match state {
            Registered => &[],
            Connecting => &[Connecting],
            Connected => &[Connecting, Connected],
            Draining => &[Connecting, Connected, Draining],
            Disconnected => &[Connecting, Disconnected],
            Error => &[Connecting, Error],
            Restarting => &[Connecting, Error, Restarting],
        };
        let machine = StateMachine::new("notes");
        for step in way {
            machine.transition(*step, "test").unwrap();
        }
        machine
    }

    #[test]
    fn the_machine_moves_exactly_where_the_table_allows() {
        for from in ServerState::ALL {
            for to in ServerState::ALL {
                let machine = machine_in(*from);
                let moved = machine.transition(*to, "why");
                assert_eq!(moved.is_ok(), may_follow(*from, *to), "{from} to {to}");
                let stands = if moved.is_ok() { to } else { from };
                assert_eq!(machine.state(), *stands, "{from} to {to}");
            }
        }
    }

    #[test]
    fn a_refusal_names_the_server_and_both_states_and_tells_nobody() {
        let machine = StateMachine::new("notes");
        let mut watch = machine.watch();
        let refused = machine.transition(ServerState::Connected, "too early").unwrap_err();
        assert_eq!(
            refused.to_string(),
            r#"server "notes" cannot go from registered to connected (too early)"#
        );
        assert!(!watch.has_changed().unwrap());
        machine.transition(ServerState::Connecting, "start").unwrap();
        assert!(watch.has_changed().unwrap());
        assert_eq!(&*watch.borrow_and_update().reason, "start");
    }

    #[test]
    fn clones_are_the_same_server() {
        let machine = StateMachine::new("notes");
        let transition = machine.clone().transition(ServerState::Connecting, "start").unwrap();
        assert_eq!((transition.from, transition.to), (ServerState::Registered, ServerState::Connecting));
        assert_eq!(machine.state(), ServerState::Connecting);
    }
}
