//! `mgp tools list`.

use crate::{
    cli::{
        error::CliError,
        output::{Outcome, note, shortened, table},
        setup::Setup,
    },
    kernel::{Kernel, command_word},
};
use mgp_types::{context::RiskLevel, tool_index::WaitingTools};
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
    /// The number of permissions that nobody has decided on, those of servers that the agent may not use included.
    undecided_permissions: usize,
    /// The tools that are not shown because nobody has decided on what they need.
    waiting: Vec<WaitingTools>,
    not_connected: Vec<String>,
}

/// How much of a description the table shows, in characters.
const SHOWN: usize = 72;

pub(super) async fn list(
    kernel: &Kernel,
    setup: &Setup,
    not_connected: Vec<String>,
) -> Result<Outcome, CliError> {
    let principal = setup.principal();
    let rows = kernel.tools(&principal).into_iter().map(|named| Row {
        name: named.name.to_string(),
        server_id: named.tool.id().server_id.to_string(),
        risk_level: named.tool.risk(),
        description: named.tool.description(),
    });
    let list = List {
        agent: setup.agent.clone(),
        tools: rows.collect(),
        waiting: kernel.waiting_tools(Some(&principal)).await,
        undecided_permissions: kernel.permissions().pending().await?.len(),
        not_connected,
    };
    for waiting in &list.waiting {
        note(&waiting.to_string());
    }
    if list.tools.is_empty() {
        if list.waiting.is_empty() {
            note(&nothing(kernel, &list));
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

/// Returns why there is nothing to show.
fn nothing(kernel: &Kernel, list: &List) -> String {
    let agent = &list.agent;
    let servers = kernel.servers();
    let granted = servers.iter().filter(|server| kernel.access().query(agent, server.id(), None).allows());
    let granted: Vec<&str> = granted.map(|server| server.id()).collect();
    if servers.is_empty() {
        "there are no servers; see `mgp servers`".to_owned()
    } else if granted.is_empty() {
        let word = command_word(agent);
        format!("agent {agent:?} may call nothing; let it use a server with `mgp access grant {word} SERVER`")
    } else {
        let granted = granted.join(", ");
        format!(
            "agent {agent:?} may use {granted}, which have no tool to show; see `mgp servers` and `mgp access list`"
        )
    }
}
