//! Helpers that the tests share: a server in a given state, and a connection to it.

use mgp_lifecycle::{gate::Gate, state::StateMachine};
use mgp_transport::{
    connection::Connection,
    memory,
    seam::{BoxError, Incoming, PeerService, Reply},
};
use mgp_types::lifecycle::ServerState;
use std::{
    pin::pin,
    task::{Context, Waker},
};
use xtask_testing::RawPeer;

/// Returns a gate whose server is in a state, reached by legal steps.
pub(crate) fn gate_in(state: ServerState) -> Gate {
    use ServerState::{Connected, Connecting, Disconnected, Draining, Error, Registered, Restarting};
    let machine = StateMachine::new("notes");
    let way: &[ServerState] = match state {
        Registered => &[],
        Connecting => &[Connecting],
        Connected => &[Connecting, Connected],
        Draining => &[Connecting, Connected, Draining],
        Disconnected => &[Connecting, Disconnected],
        Error => &[Connecting, Error],
        Restarting => &[Connecting, Error, Restarting],
    };
    for step in way {
        machine.transition(*step, "test").unwrap();
    }
    Gate::new(machine)
}

/// Polls a future once. Returns whether it is pending.
pub(crate) fn waits(future: impl Future) -> bool {
    pin!(future).poll(&mut Context::from_waker(Waker::noop())).is_pending()
}

/// Lets every task do what it can.
pub(crate) async fn settle() {
    for _ in 0..200 {
        tokio::task::yield_now().await;
    }
}

/// Returns a service that answers nothing.
pub(crate) fn nothing() -> impl PeerService {
    tower::service_fn(|_: Incoming| async { Ok::<_, BoxError>(Reply::none()) })
}

/// Returns a connection that a service serves, and its other end.
pub(crate) fn served(service: impl PeerService) -> (Connection, RawPeer) {
    let (here, there) = memory::pair();
    (Connection::builder(service).over(there.0, there.1), RawPeer::new(here))
}
