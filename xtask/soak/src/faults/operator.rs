//! An operator who restarts, drains and stops servers while calls run, by the method behind `mgp servers restart ID`.

use crate::{
    ledger::{Answer, Ledger},
    random::Random,
    servers::{self, Servers},
};
use mgp_client_sdk::client::Client;
use mgp_kernel::{Kernel, Principal};
use mgp_transport::{connection::Config, memory};
use mgp_types::lifecycle::{ControlServer, ControlServerParams, ServerAction, ServerState};
use std::{ops::Range, sync::Arc};
use tokio::{task::JoinSet, time::Instant};

/// The stream of random numbers.
const STREAM: u64 = u64::MAX - 1;
/// The bounds of the pause before a command, in milliseconds.
const PAUSE_MS: Range<u64> = 200..800;
/// The bounds of the time for which a server stays stopped, in milliseconds.
const STOPPED_MS: Range<u64> = 100..1500;
/// The bounds of the pause before a refused start is retried, in milliseconds.
const AGAIN_MS: Range<u64> = 50..200;

const RESTARTED: &str = "servers restarted by the operator";
const DRAINED: &str = "servers drained by the operator";
const STOPPED: &str = "servers stopped by the operator";

/// The faults that every run must have.
pub(super) const KINDS: [&str; 3] = [RESTARTED, DRAINED, STOPPED];

/// Restarts, drains and stops servers until the end. Each stopped server is started again.
pub(crate) async fn operate(kernel: Kernel, servers: Servers, seed: u64, end: Instant, ledger: Ledger) {
    let (here, there) = memory::pair();
    let operator = Principal::operator("soak");
    let connection = kernel.face().serve(operator, Config::default(), there.0, there.1);
    let serving = tokio::spawn(connection.closed());
    let client = match Client::builder("soak operator", "1.0.0").connect(here.0, here.1).await {
        Ok(client) => Arc::new(client),
        Err(error) => return ledger.wrong(format!("the operator cannot connect: {error}")),
    };
    let (mut random, mut commands) = (Random::new(seed, STREAM), JoinSet::new());
    loop {
        tokio::time::sleep(random.millis(PAUSE_MS)).await;
        if Instant::now() >= end {
            break;
        }
        while commands.try_join_next().is_some() {}
        let (name, action) = match random.below(4) {
            0 | 1 => (RESTARTED, ServerAction::Restart),
            2 => (DRAINED, ServerAction::Drain),
            _ => (STOPPED, ServerAction::Stop),
        };
        let id = servers::id(random.below(servers.steady));
        let own = Random::new(random.next(), STREAM);
        commands.spawn(command(client.clone(), kernel.clone(), id, name, action, own, ledger.clone()));
    }
    commands.join_all().await;
    if let Some(client) = Arc::into_inner(client) {
        client.close().await;
    }
    let _ = serving.await;
}

/// Gives one command, and makes sure that the server runs again after it.
async fn command(
    client: Arc<Client>,
    kernel: Kernel,
    id: String,
    name: &'static str,
    action: ServerAction,
    mut random: Random,
    ledger: Ledger,
) {
    if give(&client, &id, action, &ledger).await {
        ledger.fault(name);
    }
    if action == ServerAction::Restart {
        return;
    }
    tokio::time::sleep(random.millis(STOPPED_MS)).await;
    // A start is refused while the server still drains.
    while is_down(&kernel, &id) && !give(&client, &id, ServerAction::Start, &ledger).await {
        tokio::time::sleep(random.millis(AGAIN_MS)).await;
    }
}

/// Returns whether a server is stopped or about to be. A server that a reload put in the place of a stopped one was never started.
fn is_down(kernel: &Kernel, id: &str) -> bool {
    use ServerState::{Disconnected, Draining, Registered};
    let servers = kernel.servers();
    let server = servers.iter().find(|server| server.id() == id);
    server.is_some_and(|server| matches!(server.status().state, Registered | Disconnected | Draining))
}

/// Sends a command. Returns whether it was carried out.
async fn give(client: &Client, id: &str, action: ServerAction, ledger: &Ledger) -> bool {
    let ticket = ledger.send("server/control");
    let params = ControlServerParams { server_id: id.to_owned(), action, timeout_ms: None, reason: None };
    match client.request::<ControlServer>(&params).await {
        Ok(result) => {
            ticket.answered(Answer::Result, 1);
            if !result.done {
                ledger.wrong(format!("{action} of a server was not done in time: {}", result.reason));
            }
            true
        }
        Err(error) => {
            let error = error.to_string();
            let is_refusal = ["which allows", "too many commands"].iter().any(|told| error.contains(told));
            if is_refusal {
                ticket.answered(Answer::Error(format!("{action} is refused in the server's state")), 1);
            } else {
                ticket.lost(&error);
            }
            false
        }
    }
}
