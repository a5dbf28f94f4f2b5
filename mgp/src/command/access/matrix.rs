//! `mgp access matrix`: whether each agent may use each tool of a server.

use super::{
    known::{has_server, known_agents, meant_server, name_all},
    unreadable::say_unreadable,
};
use crate::{
    error::CliError,
    exit::Exit,
    options::Options,
    output::{Outcome, note, on_one_line, table},
    setup::Setup,
};
use clap::Args;
use mgp_security::access::{AccessControl, Judgement};
use mgp_types::access::{AccessDecision, AccessSource};
use serde::Serialize;
use std::collections::BTreeSet;

/// The most agents and tools of an answer.
const AGENTS: usize = 20;
const TOOLS: usize = 50;

#[derive(Debug, Args)]
pub(super) struct MatrixArgs {
    /// The server, by its id or an unambiguous beginning of it
    #[arg(long, value_name = "ID")]
    server: String,
    /// Leave out the first N agents, in alphabetical order
    #[arg(long, value_name = "N", default_value_t = 0)]
    agents_from: usize,
    /// Leave out the first N tools, in alphabetical order
    #[arg(long, value_name = "N", default_value_t = 0)]
    tools_from: usize,
}

/// The JSON form of the answer.
#[derive(Serialize)]
struct Matrix {
    server_id: String,
    agents: Vec<String>,
    agents_total: usize,
    tools: Vec<String>,
    tools_total: usize,
    /// The decisions of each agent, in the order of the tools.
    cells: Vec<Vec<Cell>>,
}

/// A decision.
#[derive(Serialize)]
struct Cell {
    permission: AccessDecision,
    source: AccessSource,
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    policy: Option<String>,
}

pub(super) async fn matrix(options: &Options, setup: &Setup, args: MatrixArgs) -> Result<Outcome, CliError> {
    let server = meant_server(setup, &args.server).await?;
    if !has_server(setup, &server).await {
        let problem = format!("there is no server {server:?} in the configuration or registered");
        return Err(CliError::new(Exit::NotFound, problem).help("see the servers with `mgp servers`"));
    }
    let access = setup.state.access().await?;
    name_all(setup, &access).await?;
    say_unreadable(&access.unreadable());
    let agents = match &options.agent {
        Some(agent) => BTreeSet::from([agent.clone()]),
        None => known_agents(setup).await?,
    };
    let tools = tools_of(setup, &server).await?;
    let (agents_total, tools_total) = (agents.len(), tools.len());
    let agents: Vec<_> = agents.into_iter().skip(args.agents_from).take(AGENTS).collect();
    let tools: Vec<_> = tools.into_iter().skip(args.tools_from).take(TOOLS).collect();
    if tools_total == 0 {
        note(&format!("server {server:?} has listed no tools yet: `mgp servers` starts it"));
    }
    if args.agents_from + agents.len() < agents_total || args.tools_from + tools.len() < tools_total {
        note(&format!(
            "there are {agents_total} agents and {tools_total} tools: --agents-from and --tools-from show more"
        ));
    }
    let row = |agent: &String| tools.iter().map(|tool| cell(&access, agent, &server, tool)).collect();
    let cells = agents.iter().map(row).collect();
    let matrix = Matrix { server_id: server, agents, agents_total, tools, tools_total, cells };
    Outcome::new(matrix.text(), &matrix)
}

/// Returns the tools that a server has listed, by its own names.
async fn tools_of(setup: &Setup, server: &str) -> Result<BTreeSet<String>, CliError> {
    let pinned = setup.definitions(&setup.audit()?).await?.rows().await?;
    let tools = pinned.into_iter().map(|row| row.tool).filter(|tool| *tool.server_id == *server);
    Ok(tools.map(|tool| tool.tool_name.to_string()).collect())
}

fn cell(access: &AccessControl, agent: &str, server: &str, tool: &str) -> Cell {
    let Judgement { decision, source, role, policy, .. } =
        access.explain(agent, server, Some(tool)).judgement;
    Cell {
        permission: decision,
        source,
        role: role.map(|role| role.to_string()),
        policy: policy.map(|policy| policy.policy.clone()),
    }
}

impl Matrix {
    /// Returns a line for each agent and tool, with the source of the decision.
    fn text(&self) -> String {
        let rows = self.agents.iter().zip(&self.cells).flat_map(|(agent, cells)| {
            self.tools.iter().zip(cells).map(move |(tool, cell)| {
                [on_one_line(agent), on_one_line(tool), cell.permission.to_string(), cell.by()]
            })
        });
        let rows: Vec<_> = rows.collect();
        if rows.is_empty() { String::new() } else { table(["agent", "tool", "may", "by"], rows) }
    }
}

impl Cell {
    fn by(&self) -> String {
        match (&self.role, &self.policy) {
            (Some(role), _) => on_one_line(&format!("role {role}")),
            (None, Some(policy)) => on_one_line(&format!("policy {policy}")),
            (None, None) => self.source.as_str().to_owned(),
        }
    }
}
