//! `mgp tools list`.

use super::run::Risk;
use crate::{
    catalogue::Catalogue,
    error::CliError,
    output::{Outcome, note, on_one_line, shortened, table},
    setup::Setup,
};
use clap::Args;
use mgp_kernel::{ClosedTools, Kernel, NamedTool, command_word};
use mgp_types::{context::RiskLevel, lifecycle::ServerState, tool_index::WaitingTools};
use serde::Serialize;
use std::collections::{BTreeSet, HashSet};

/// The choice of the tools to list.
#[derive(Debug, Default, Args)]
pub(super) struct ListArgs {
    /// Only tools of this server
    #[arg(long, value_name = "ID")]
    server: Option<String>,
    /// Maximum risk of the tools listed
    #[arg(long, value_name = "RISK", value_enum)]
    risk_max: Option<Risk>,
    /// Leave out the first N tools
    #[arg(long, value_name = "N", default_value_t = 0)]
    skip: usize,
    /// List at most N tools
    #[arg(long, value_name = "N")]
    most: Option<usize>,
}

impl ListArgs {
    fn fits(&self, named: &NamedTool) -> bool {
        self.server.as_ref().is_none_or(|id| **id == *named.tool.id().server_id)
            && self.risk_max.is_none_or(|most| named.tool.risk() <= RiskLevel::from(most))
    }
}

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
    /// The number of tools that fit the options, whether or not they are in this part of the list.
    fitting: usize,
    /// The number of all tools that the agent may call.
    available: usize,
    /// The servers of all these tools.
    servers: BTreeSet<String>,
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

pub(super) async fn list(catalogue: &Catalogue, setup: &Setup, args: &ListArgs) -> Result<Outcome, CliError> {
    let (kernel, principal) = (&catalogue.kernel, setup.principal());
    let available = kernel.tools(&principal);
    let fitting: Vec<_> = available.iter().filter(|named| args.fits(named)).collect();
    let part = fitting.iter().skip(args.skip).take(args.most.unwrap_or(usize::MAX));
    let rows = part.map(|named| Row {
        name: named.name.to_string(),
        server_id: named.tool.id().server_id.to_string(),
        risk_level: named.tool.risk(),
        description: named.tool.description(),
    });
    let list = List {
        agent: setup.agent.clone(),
        tools: rows.collect(),
        fitting: fitting.len(),
        servers: available.iter().map(|named| named.tool.id().server_id.to_string()).collect(),
        waiting: kernel.operator().waiting_tools(Some(&principal)).await,
        closed: kernel.operator().closed_tools(Some(&principal)),
        changed: kernel.operator().changed_tools(&principal),
        suspect: suspect(kernel, &available),
        available: available.len(),
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
    if list.tools.is_empty() && list.available > 0 {
        note(&format!(
            "{} of {} tools fit, and this part of the list has none",
            list.fitting, list.available
        ));
    }
    if list.tools.is_empty() {
        if list.available == 0 && list.waiting.is_empty() && list.closed.is_empty() {
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

/// Returns the names of those tools that have a suspicious definition.
fn suspect(kernel: &Kernel, tools: &[NamedTool]) -> Vec<String> {
    let (_, suspect) = kernel.operator().suspect_tools(None);
    let suspect: HashSet<_> = suspect.into_iter().map(|suspect| suspect.tool).collect();
    let is_suspect = |named: &&NamedTool| suspect.contains(named.tool.id());
    tools.iter().filter(is_suspect).map(|named| named.name.to_string()).collect()
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
