//! `mgp tools list`.

use crate::{
    catalogue::Catalogue,
    error::CliError,
    output::{Outcome, note, on_one_line, shortened, table},
    setup::Setup,
};
use mgp_kernel::{ClosedTools, Kernel, NamedTool, Principal, command_word};
use mgp_types::{context::RiskLevel, lifecycle::ServerState, tool_index::WaitingTools};
use serde::Serialize;

/// A tool in the list.
#[derive(Serialize)]
struct Row {
    name: String,
    server_id: String,
    risk_level: RiskLevel,
    description: Option<String>,
}

#[derive(Serialize)]
struct List {
    agent: String,
    tools: Vec<Row>,
    /// The number of undecided permissions, including those of servers that the agent may not use.
    undecided_permissions: usize,
    /// The tools that are hidden because a permission that they need is undecided.
    waiting: Vec<WaitingTools>,
    /// The tools that are hidden for another reason, although the agent may call them.
    closed: Vec<ClosedTools>,
    /// The tools that are shown although their definition differs from the accepted one.
    changed: Vec<String>,
    /// The tools with a suspicious definition.
    suspect: Vec<String>,
    not_connected: Vec<String>,
}

/// The maximum length of a description in the table, in characters.
const SHOWN: usize = 72;

pub(super) async fn list(catalogue: &Catalogue, setup: &Setup) -> Result<Outcome, CliError> {
    let (kernel, principal) = (&catalogue.kernel, setup.principal());
    let rows = kernel.tools(&principal).into_iter().map(|named| Row {
        name: named.name.to_string(),
        server_id: named.tool.id().server_id.to_string(),
        risk_level: named.tool.risk(),
        description: named.tool.description(),
    });
    let list = List {
        agent: setup.agent.clone(),
        tools: rows.collect(),
        waiting: kernel.operator().waiting_tools(Some(&principal)).await,
        closed: kernel.operator().closed_tools(Some(&principal)),
        changed: kernel.operator().changed_tools(&principal),
        suspect: suspect(kernel, &principal),
        undecided_permissions: kernel.permissions().pending().await?.len(),
        not_connected: catalogue.down(),
    };
    for waiting in &list.waiting {
        note(&waiting.to_string());
    }
    for closed in &list.closed {
        note(&closed.to_string());
    }
    if !list.changed.is_empty() {
        let count = list.changed.len();
        note(&format!("definitions that changed since they were accepted: {count}; see `mgp tools diff`"));
    }
    if !list.suspect.is_empty() {
        let names = list.suspect.iter().take(3).map(String::as_str).collect::<Vec<_>>().join(", ");
        let count = list.suspect.len();
        note(&format!("suspicious definitions: {count}, such as that of {names}; see `mgp tools scan`"));
    }
    if list.tools.is_empty() {
        if list.waiting.is_empty() && list.closed.is_empty() {
            nothing(catalogue, setup).iter().for_each(|reason| note(reason));
        }
        return Outcome::new("", &list);
    }
    let rows = list.tools.iter().map(|row| {
        let description = shortened(row.description.as_deref().unwrap_or_default(), SHOWN);
        [row.name.clone(), row.server_id.clone(), row.risk_level.to_string(), description]
    });
    let text = table(["name", "server", "risk", "description"], rows);
    Outcome::new(text, &list)
}

/// Returns the names of the tools with a suspicious definition that a principal is shown.
fn suspect(kernel: &Kernel, principal: &Principal) -> Vec<String> {
    let (_, suspect) = kernel.operator().suspect_tools(None);
    let is_suspect = |named: &NamedTool| suspect.iter().any(|suspect| suspect.tool == *named.tool.id());
    kernel.tools(principal).into_iter().filter(is_suspect).map(|named| named.name.to_string()).collect()
}

/// Returns the reasons why no tool is listed.
fn nothing(catalogue: &Catalogue, setup: &Setup) -> Vec<String> {
    let kernel = &catalogue.kernel;
    let (agent, principal, servers) = (&setup.agent, setup.principal(), kernel.servers());
    if servers.is_empty() {
        return vec!["there are no servers; see `mgp servers`".to_owned()];
    }
    let granted = servers.iter().filter(|server| kernel.access().allows_some(&principal, server.id()));
    let reasons: Vec<String> =
        granted.map(|server| without_tools(server.id(), catalogue.state_of(server))).collect();
    if reasons.is_empty() {
        let word = command_word(agent);
        let reason = format!(
            "agent {agent:?} may call nothing; let it use a server with `mgp access grant {word} SERVER`"
        );
        return vec![reason];
    }
    reasons
}

/// Returns the reason why a server that the agent may use has no tool to list.
fn without_tools(id: &str, (state, reason): (ServerState, String)) -> String {
    match state {
        ServerState::Connected => {
            format!("`{id}` is connected, and has no tool that the agent may call; see `mgp access list`")
        }
        _ => format!("`{id}` is not connected: {}", on_one_line(&reason)),
    }
}
