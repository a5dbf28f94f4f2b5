//! `mgp servers`: starts every server and shows its state.

use crate::{
    args::Options,
    error::CliError,
    exit::Exit,
    output::{Outcome, note, on_one_line, table},
    setup::{CommandKernel, Setup},
    terminal::UnattendedApprover,
};
use mgp_client_sdk::kernel::ClosedTools;
use mgp_discovery::registry::ServerSource;
use mgp_types::{
    context::{ConfinementMode, TrustLevel},
    lifecycle::ServerState,
    tool_index::WaitingTools,
};
use serde::Serialize;
use std::{sync::Arc, time::Duration};

#[derive(Serialize)]
struct Row {
    id: String,
    state: ServerState,
    /// The MGP version that was negotiated; `None` for a plain MCP server.
    mgp_version: Option<String>,
    extensions: Vec<String>,
    trust_level: TrustLevel,
    /// The mode in which its process is confined; `None` if it is none of this kernel's.
    #[serde(skip_serializing_if = "Option::is_none")]
    confined: Option<ConfinementMode>,
    /// True if the server was registered beside the configuration.
    registered: bool,
    tools: Vec<String>,
    /// The reason why the server is not connected.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

#[derive(Serialize)]
struct Servers {
    servers: Vec<Row>,
    /// The tools that no agent is shown because a permission that they need is undecided.
    waiting: Vec<WaitingTools>,
    /// The tools that no agent is shown for another reason.
    closed: Vec<ClosedTools>,
}

pub(super) async fn run(options: &Options, timeout: u64) -> Result<Outcome, CliError> {
    let setup = Setup::load(options)?;
    let kernel = setup.start(CommandKernel, Arc::new(UnattendedApprover { confirms: false })).await?;
    let down = kernel.ready(Duration::from_secs(timeout)).await;
    let known = kernel.registry();
    let servers = kernel.servers();
    let rows = servers.iter().filter_map(|server| {
        // A server that was removed in the meantime may be in one list and not in the other.
        let known = known.iter().find(|known| *known.id == *server.id())?;
        let status = server.status();
        let connected = status.state == ServerState::Connected;
        Some(Row {
            id: server.id().to_owned(),
            state: status.state,
            mgp_version: known.version.map(|version| version.to_string()),
            extensions: known.extensions.iter().map(|extension| extension.to_string()).collect(),
            trust_level: known.trust,
            confined: server.confinement().map(|profile| profile.mode),
            registered: known.source == ServerSource::Registration,
            tools: known.tools.iter().map(ToString::to_string).collect(),
            reason: (!connected).then(|| status.reason.to_string()),
        })
    });
    let servers = Servers {
        servers: rows.collect(),
        waiting: kernel.waiting_tools(None).await,
        closed: kernel.closed_tools(None),
    };
    for waiting in &servers.waiting {
        note(&waiting.to_string());
    }
    for closed in &servers.closed {
        note(&closed.to_string());
    }
    kernel.shutdown().await;
    let exit = if down.is_empty() { Exit::Success } else { Exit::Failed };
    Ok(Outcome::new(text(&servers.servers), &servers)?.with_exit(exit))
}

fn text(servers: &[Row]) -> String {
    if servers.is_empty() {
        return "there are no servers; add one to the configuration, or run `mgp init`".to_owned();
    }
    let rows = servers.iter().map(|row| {
        let speaks = match &row.mgp_version {
            Some(version) => format!("mgp {version}"),
            None if row.state == ServerState::Connected => "mcp".to_owned(),
            None => "-".to_owned(),
        };
        let more = match &row.reason {
            Some(reason) => on_one_line(reason),
            None => row.extensions.join(", "),
        };
        [
            row.id.clone(),
            row.state.to_string(),
            speaks,
            row.trust_level.to_string(),
            row.confined.map_or("-", ConfinementMode::as_str).to_owned(),
            row.tools.len().to_string(),
            more,
        ]
    });
    table(["server", "state", "speaks", "trust", "confined", "tools", "extensions or reason"], rows)
}
