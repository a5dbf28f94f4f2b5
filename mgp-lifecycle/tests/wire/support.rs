//! Helpers that the tests share: a server in a given state, and the other side of a connection, line by line.

use mgp_lifecycle::{gate::Gate, state::StateMachine};
use mgp_transport::{
    connection::Connection,
    memory,
    seam::{BoxError, Incoming, PeerService, Reply},
};
use mgp_types::lifecycle::ServerState;
use serde_json::Value;
use std::{
    pin::pin,
    task::{Context, Waker},
};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf};

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

/// One end of a connection that speaks in lines.
pub(crate) struct Raw {
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    out: WriteHalf<DuplexStream>,
}

impl Raw {
    pub(crate) fn new((input, output): memory::End) -> Self {
        Self { lines: BufReader::new(input).lines(), out: output }
    }

    /// Returns a connection that a service serves, and its other end.
    pub(crate) fn of(service: impl PeerService) -> (Connection, Self) {
        let (here, there) = memory::pair();
        (Connection::builder(service).over(there.0, there.1), Self::new(here))
    }

    pub(crate) async fn send(&mut self, line: &str) {
        self.out.write_all(line.as_bytes()).await.unwrap();
        self.out.write_all(b"\n").await.unwrap();
    }

    pub(crate) async fn request(&mut self, id: i64, method: &str, params: &str) {
        self.send(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#)).await;
    }

    /// Sends a request and reads the next line.
    pub(crate) async fn ask(&mut self, method: &str, params: &str) -> Value {
        self.request(1, method, params).await;
        self.line().await
    }

    /// Reads the next line.
    pub(crate) async fn line(&mut self) -> Value {
        let line = self.lines.next_line().await.unwrap().expect("the connection is open");
        serde_json::from_str(&line).unwrap()
    }
}
