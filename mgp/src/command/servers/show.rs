//! `mgp servers`: shows the state of every server, from running kernels or from one started for the command.

use crate::{
    control::{asked, is_starting, reports},
    error::CliError,
    exit::Exit,
    options::Options,
    output::{Outcome, note, on_one_line, table_of_reasons},
    setup::{CommandKernel, Setup},
    terminal::UnattendedApprover,
    wait::with_progress,
};
use mgp_discovery::registry::ServerSource;
use mgp_types::{
    context::{ConfinementMode, TrustLevel},
    lifecycle::{ClosedToolsReport, HealthStatus, KernelStatus, ServerNotice, ServerReport, ServerState},
    tool_index::WaitingTools,
};
use serde::Serialize;
use std::{collections::BTreeSet, sync::Arc, time::Duration};

#[derive(Serialize)]
struct Row {
    /// The process id of the running kernel; `None` if the server was started for this command.
    #[serde(skip_serializing_if = "Option::is_none")]
    kernel: Option<u32>,
    id: String,
    state: ServerState,
    /// True if the server is not running but starts on the next request that needs it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    on_demand: bool,
    /// The health that the server reports.
    #[serde(skip_serializing_if = "Option::is_none")]
    health: Option<HealthStatus>,
    /// The negotiated MGP version; `None` for a plain MCP server.
    mgp_version: Option<String>,
    extensions: Vec<String>,
    trust_level: TrustLevel,
    /// The confinement mode of its process; `None` if the kernel does not run the process.
    #[serde(skip_serializing_if = "Option::is_none")]
    confined: Option<ConfinementMode>,
    /// True if the server was registered in addition to the configuration.
    registered: bool,
    tools: Vec<String>,
    /// The reason why the server is not connected.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

#[derive(Serialize)]
struct Servers {
    servers: Vec<Row>,
    /// The tools that are hidden from every agent because a permission that they need is undecided.
    waiting: Vec<WaitingTools>,
    /// The tools that are hidden from every agent for another reason.
    closed: Vec<ClosedToolsReport>,
    /// The notices on servers that violate their protocol, or whose commands are not confined.
    notices: Vec<ServerNotice>,
}

pub(super) async fn run(options: &Options, timeout: u64, fresh: bool) -> Result<Outcome, CliError> {
    let setup = Setup::load(options).await?;
    setup.note_homes();
    if !fresh {
        let reports = reports(&setup, timeout, is_starting).await?;
        if !reports.is_empty() {
            return of_running(reports);
        }
    }
    let kernel = setup.start(CommandKernel, Arc::new(UnattendedApprover { confirms: false })).await?;
    let starting = || -> Vec<String> {
        let servers = kernel.servers();
        let starting = servers.iter().filter(|server| server.is_coming_up());
        starting.map(|server| server.id().to_owned()).collect()
    };
    let down = with_progress(kernel.ready(Duration::from_secs(timeout)), starting).await;
    let known = kernel.registry();
    let servers = kernel.servers();
    let rows = servers.iter().filter_map(|server| {
        // A server that was removed in the meantime may be in one list and not in the other.
        let known = known.iter().find(|known| *known.id == *server.id())?;
        let status = server.status();
        let connected = status.state == ServerState::Connected;
        Some(Row {
            kernel: None,
            id: server.id().to_owned(),
            state: status.state,
            on_demand: server.is_on_demand(),
            health: known.health,
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
        waiting: kernel.operator().waiting_tools(None).await,
        closed: kernel.operator().closed_tools(None).into_iter().map(ClosedToolsReport::from).collect(),
        notices: kernel.operator().notices(),
    };
    kernel.shutdown().await;
    shown(&servers, down.is_empty())
}

/// Shows the servers of running kernels.
fn of_running(reports: Vec<(u32, KernelStatus)>) -> Result<Outcome, CliError> {
    note(&asked(&reports));
    let mut servers =
        Servers { servers: Vec::new(), waiting: Vec::new(), closed: Vec::new(), notices: Vec::new() };
    for (pid, status) in reports {
        servers.servers.extend(status.servers.into_iter().map(|server| Row::of_report(pid, server)));
        // Kernels of one state folder share their decisions.
        let waiting = status.waiting.into_iter().filter(|new| !servers.waiting.contains(new));
        let waiting: Vec<_> = waiting.collect();
        servers.waiting.extend(waiting);
        let closed = status.closed.into_iter().filter(|new| !servers.closed.contains(new));
        let closed: Vec<_> = closed.collect();
        servers.closed.extend(closed);
        let notices = status.notices.into_iter().filter(|new| !servers.notices.contains(new));
        let notices: Vec<_> = notices.collect();
        servers.notices.extend(notices);
    }
    let all_up =
        servers.servers.iter().all(|server| server.on_demand || server.state == ServerState::Connected);
    shown(&servers, all_up)
}

fn shown(servers: &Servers, all_up: bool) -> Result<Outcome, CliError> {
    for waiting in &servers.waiting {
        note(&waiting.to_string());
    }
    for closed in &servers.closed {
        note(&closed.reason);
    }
    for notice in &servers.notices {
        note(&notice.text);
    }
    let exit = if all_up { Exit::Success } else { Exit::Failed };
    Ok(Outcome::new(text(&servers.servers), &servers)?.with_exit(exit))
}

impl Row {
    fn of_report(pid: u32, server: ServerReport) -> Self {
        let connected = server.state == ServerState::Connected;
        Self {
            kernel: Some(pid),
            id: server.id,
            state: server.state,
            on_demand: server.on_demand,
            health: server.health,
            mgp_version: server.mgp_version,
            extensions: server.extensions,
            trust_level: server.trust_level,
            confined: server.confined,
            registered: server.registered,
            tools: server.tools,
            reason: (!connected).then_some(server.reason),
        }
    }
}

/// Returns the state of a server that starts on demand, as text.
pub(crate) const fn on_demand(state: ServerState) -> &'static str {
    if matches!(state, ServerState::Registered) { "not started yet" } else { "idle" }
}

fn text(servers: &[Row]) -> String {
    if servers.is_empty() {
        return "there are no servers; add one to the configuration, or run `mgp init`".to_owned();
    }
    let kernels: BTreeSet<_> = servers.iter().map(|row| row.kernel).collect();
    let cells = |row: &Row| {
        let speaks = match &row.mgp_version {
            Some(version) => format!("mgp {version}"),
            None if row.state == ServerState::Connected => "mcp".to_owned(),
            None => "-".to_owned(),
        };
        let more = match &row.reason {
            Some(why) => on_one_line(why),
            None => row.extensions.join(", "),
        };
        [
            row.id.clone(),
            match row.health.filter(|health| *health != HealthStatus::Healthy) {
                Some(health) => format!("{}, {health}", row.state),
                None if row.on_demand => on_demand(row.state).to_owned(),
                None => row.state.to_string(),
            },
            speaks,
            row.trust_level.to_string(),
            row.confined.map_or("-", ConfinementMode::as_str).to_owned(),
            row.tools.len().to_string(),
            more,
        ]
    };
    if kernels.len() == 1 {
        let header = ["server", "state", "speaks", "trust", "confined", "tools", "extensions or reason"];
        return table_of_reasons(header, 1, servers.iter().map(cells));
    }
    let header =
        ["gateway", "server", "state", "speaks", "trust", "confined", "tools", "extensions or reason"];
    let rows = servers.iter().map(|row| {
        let [id, state, speaks, trust, confined, tools, more] = cells(row);
        let kernel = row.kernel.map(|pid| pid.to_string()).unwrap_or_default();
        [kernel, id, state, speaks, trust, confined, tools, more]
    });
    table_of_reasons(header, 2, rows)
}
