//! `mgp servers --watch`: keeps the servers running, and prints a line for each change of state.

use crate::{
    error::CliError,
    options::Options,
    output::{Outcome, local_time, note, on_one_line, print, print_json},
    setup::{Reloader, Setup},
    signals::Signals,
    terminal::UnattendedApprover,
};
use jiff::Timestamp;
use mgp_kernel::{KernelBuilder, StateChange};
use mgp_types::lifecycle::{LifecycleParams, ServerState};
use serde::Serialize;
use std::sync::Arc;

/// The state of a server when the watch begins.
#[derive(Serialize)]
struct InitialState<'a> {
    server_id: &'a str,
    /// Always `null`: the earlier state is not known.
    previous_state: Option<ServerState>,
    new_state: ServerState,
    reason: &'a str,
    timestamp: String,
}

pub(super) async fn run(options: &Options) -> Result<Outcome, CliError> {
    let setup = Setup::load(options).await?;
    let mut signals = Signals::listen()?;
    let reloader = Arc::new(Reloader::new(options, &setup, None));
    let approver = Arc::new(UnattendedApprover { confirms: false });
    let kernel = setup.serve(approver, &reloader, reloader.routes(), KernelBuilder::audit_sink).await?;
    // Subscribes before the states are read below, so that no change is lost in between.
    let mut changes = kernel.state_changes();
    for server in kernel.servers().iter() {
        let status = server.status();
        let timestamp = format!("{:.3}", Timestamp::now());
        if options.json {
            let stands = InitialState {
                server_id: server.id(),
                previous_state: None,
                new_state: status.state,
                reason: &status.reason,
                timestamp,
            };
            line(&stands);
        } else {
            say(&timestamp, server.id(), status.state.as_str(), Some(&status.reason));
        }
    }
    loop {
        let change = tokio::select! {
            change = changes.next() => change,
            () = signals.next() => break,
        };
        match change {
            Some(StateChange::Moved(moved)) if options.json => line(&*moved),
            Some(StateChange::Moved(moved)) => show(&moved),
            Some(StateChange::Missed(count)) => note(&format!("{count} changes were missed")),
            Some(_) => {}
            None => break,
        }
    }
    tokio::select! {
        () = kernel.shutdown() => {}
        () = signals.next() => {}
    }
    Ok(Outcome::silent())
}

fn line(change: &impl Serialize) {
    // A change holds only texts and names of states, so serializing cannot fail.
    print_json(&serde_json::to_string(change).unwrap_or_default());
}

fn show(moved: &LifecycleParams) {
    let states = format!("{} -> {}", moved.previous_state, moved.new_state);
    let at = moved.timestamp.as_deref().unwrap_or("-");
    say(at, &moved.server_id, &states, moved.reason.as_deref());
}

fn say(at: &str, server: &str, states: &str, reason: Option<&str>) {
    let (at, reason) = (local_time(at), reason.map(on_one_line).unwrap_or_default());
    print(format!("{at}  {}  {states}  {reason}", on_one_line(server)).trim_end());
}
