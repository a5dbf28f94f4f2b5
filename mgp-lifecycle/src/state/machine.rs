//! The state of one server, with notification of its changes.

use super::may_follow;
use mgp_types::lifecycle::ServerState;
use std::{fmt, sync::Arc};
use tokio::{sync::watch, time::Instant};

/// The state of one server. Clones share the same server.
///
/// The kernel holds one for each of its servers, and only the kernel changes it; a server's own reports are only hints. A server holds one
/// for itself, to refuse calls while it stops.
#[derive(Debug, Clone)]
pub struct StateMachine(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    server_id: Arc<str>,
    status: watch::Sender<ServerStatus>,
}

/// The state of a server, with the reason for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerStatus {
    /// The state.
    pub state: ServerState,
    /// The reason for the state.
    pub reason: Arc<str>,
    /// The prospect of the server taking calls again.
    pub outlook: Outlook,
}

/// The prospect of a server that takes no calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Outlook {
    /// The server takes calls again, at an unknown time.
    #[default]
    Open,
    /// An attempt to start the server is due at this time.
    StartAt(Instant),
    /// The server is away. An attempt to start it is due at this time, or when a request needs it.
    StartBy(Instant),
    /// The next request that needs the server starts it.
    OnDemand,
    /// The first start of the server is due or in progress, and its offer is known: requests wait for the start.
    FirstStart,
    /// Another server has replaced this one, which is not started again: a repeated call reaches the replacement.
    Replaced,
    /// Nothing will start the server again.
    Final,
}

/// A transition of a server from one state to another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transition {
    /// The server.
    pub server_id: Arc<str>,
    /// The state before.
    pub from: ServerState,
    /// The state after.
    pub to: ServerState,
    /// The reason for the transition.
    pub reason: Arc<str>,
}

/// The error for a state that cannot follow the current one. The server's state is unchanged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IllegalTransition(Transition);

impl StateMachine {
    /// Creates the state of a server that is registered and not started.
    #[must_use]
    pub fn new(server_id: impl Into<Arc<str>>) -> Self {
        let status = ServerStatus {
            state: ServerState::Registered,
            reason: "registered".into(),
            outlook: Outlook::Open,
        };
        Self(Arc::new(Inner { server_id: server_id.into(), status: watch::Sender::new(status) }))
    }

    /// Returns the server's id.
    #[must_use]
    pub fn server_id(&self) -> &str {
        &self.0.server_id
    }

    /// Returns the server's state.
    #[must_use]
    pub fn state(&self) -> ServerState {
        self.0.status.borrow().state
    }

    /// Returns the server's state and the reason for it.
    #[must_use]
    pub fn status(&self) -> ServerStatus {
        self.0.status.borrow().clone()
    }

    /// Returns a receiver of the status now and of each later one. A status that is replaced before it is read is skipped.
    #[must_use]
    pub fn watch(&self) -> watch::Receiver<ServerStatus> {
        self.0.status.subscribe()
    }

    /// Moves the server to another state and notifies the watchers.
    ///
    /// # Errors
    /// [`IllegalTransition`] if the state cannot follow the current one. The error is also logged, because it indicates a bug.
    pub fn transition(
        &self,
        to: ServerState,
        reason: impl Into<Arc<str>>,
    ) -> Result<Transition, IllegalTransition> {
        self.transition_with(to, reason, Outlook::Open)
    }

    /// Moves the server to another state, with the prospect of it taking calls again, and notifies the watchers.
    ///
    /// # Errors
    /// [`IllegalTransition`] if the state cannot follow the current one. The error is also logged, because it indicates a bug.
    pub fn transition_with(
        &self,
        to: ServerState,
        reason: impl Into<Arc<str>>,
        outlook: Outlook,
    ) -> Result<Transition, IllegalTransition> {
        let (transition, change) = self.change(to, reason.into(), outlook, || true);
        if change.is_none() {
            let refused = IllegalTransition(transition);
            tracing::error!(server = &*self.0.server_id, error = %refused, "illegal state transition refused");
            return Err(refused);
        }
        Ok(transition)
    }

    /// Moves the server to another state if a condition is true. The check and the change are atomic: a thread that makes the condition false
    /// and then reads the state sees the earlier state, or has prevented the change.
    pub(crate) fn transition_if(
        &self,
        to: ServerState,
        reason: &str,
        outlook: Outlook,
        condition: impl FnOnce() -> bool,
    ) -> Option<Transition> {
        let (transition, change) = self.change(to, reason.into(), outlook, condition);
        (change == Some(true)).then_some(transition)
    }

    /// Makes a transition if it is legal and a condition is true. Returns the transition and whether it was made, or `None` if it is not
    /// legal.
    fn change(
        &self,
        to: ServerState,
        reason: Arc<str>,
        outlook: Outlook,
        condition: impl FnOnce() -> bool,
    ) -> (Transition, Option<bool>) {
        let (mut from, mut is_legal) = (to, true);
        // The check and the change are one step: of two callers that race for the last state, one is refused.
        let moved = self.0.status.send_if_modified(|status| {
            from = status.state;
            is_legal = may_follow(from, to);
            let moves = is_legal && condition();
            if moves {
                *status = ServerStatus { state: to, reason: reason.clone(), outlook };
            }
            moves
        });
        let transition = Transition { server_id: self.0.server_id.clone(), from, to, reason };
        if moved {
            tracing::info!(server = &*self.0.server_id, %from, %to, reason = &*transition.reason, "server state");
        }
        (transition, is_legal.then_some(moved))
    }
}

impl StateMachine {
    /// Sets the outlook, which holds until the next transition, and notifies the watchers if it has changed.
    pub fn set_outlook(&self, outlook: Outlook) {
        self.0.status.send_if_modified(|status| std::mem::replace(&mut status.outlook, outlook) != outlook);
    }

    /// Sets the reason for the current state and the outlook, which hold until the next transition, and notifies the watchers.
    pub fn note(&self, reason: impl Into<Arc<str>>, outlook: Outlook) {
        let reason = reason.into();
        self.0.status.send_modify(|status| (status.reason, status.outlook) = (reason, outlook));
    }
}

impl IllegalTransition {
    /// Returns the transition that was refused.
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

    /// Returns a machine in a state, reached by the shortest legal path.
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
    fn the_machine_allows_exactly_the_table_s_transitions() {
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
    fn a_refusal_names_server_and_states_and_notifies_nobody() {
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
