//! Agents and tools of a server in a table, with the rule behind each cell.

use super::status::Status;
use crate::{
    commands::CommandError,
    form::address,
    page::{Context, Nav, foreign, links, plain, sentence, start},
};
use maud::{Markup, html};
use serde::Deserialize;

/// The most agents and tools of one table.
const AGENTS: usize = 20;
const TOOLS: usize = 50;

/// The answer of `mgp access matrix --server ID`: the decision on each agent and tool.
#[derive(Debug, Deserialize)]
struct Matrix {
    agents: Vec<String>,
    agents_total: usize,
    tools: Vec<String>,
    tools_total: usize,
    /// By agent, then by tool, in the order of `agents` and `tools`.
    cells: Vec<Vec<Cell>>,
}

/// A decision.
#[derive(Debug, Deserialize)]
struct Cell {
    permission: String,
    source: String,
    #[serde(default)]
    role: Option<String>,
    #[serde(default)]
    policy: Option<String>,
}

/// Writes the table of a server.
pub(super) async fn matrix(context: &Context) -> Result<Markup, CommandError> {
    let words = &context.texts.agents;
    let status = Status::read(context).await?;
    let servers = status.servers();
    let server = context.query.one("server").or_else(|| servers.first().copied());
    let table = match server {
        None => {
            html! { p .empty { strong { (context.texts.now.none) } " " (sentence(&context.texts.now.none_help)) } }
        }
        Some(server) => {
            let (agents, tools) = (start(context, "agents"), start(context, "tools"));
            let from = [
                format!("--server={server}"),
                format!("--agents-from={agents}"),
                format!("--tools-from={tools}"),
            ];
            let matrix: Matrix = context.read(&["access", "matrix", &from[0], &from[1], &from[2]]).await?;
            table(context, server, &matrix, (agents, tools))
        }
    };
    Ok(html! {
        h2 { (words.matrix) }
        p .quiet { (words.matrix_help) }
        form .fields .row method="get" action=(Nav::Agents.path()) {
            input type="hidden" name="view" value="matrix";
            p { label for="matrix-server" { (words.server) } select #matrix-server name="server" {
                @for known in servers.iter().take(500) { option value=(known) selected[Some(*known) == server] { (plain(known)) } }
            } }
            button type="submit" { (words.show) }
        }
        (table)
    })
}

fn table(context: &Context, server: &str, matrix: &Matrix, (agents, tools): (usize, usize)) -> Markup {
    let words = &context.texts.agents;
    let path = Nav::Agents.path();
    html! {
        @if matrix.agents.is_empty() || matrix.tools.is_empty() { p .empty { strong { (words.empty_matrix) } " " (words.empty_matrix_help) } }
        @else {
            div .scroll tabindex="0" role="region" aria-label=(words.matrix) { table .matrix {
                thead { tr {
                    th scope="col" { (words.tool) }
                    @for agent in matrix.agents.iter().take(AGENTS) { th scope="col" { (foreign(agent)) } }
                } }
                tbody { @for (at, tool) in matrix.tools.iter().take(TOOLS).enumerate() { tr {
                    th scope="row" { (foreign(tool)) }
                    @for (agent, row) in matrix.agents.iter().zip(&matrix.cells).take(AGENTS) {
                        td { @if let Some(one) = row.get(at) { (cell(context, [agent, server, tool], one)) } }
                    }
                } } }
            } }
            p .quiet { (words.matrix_key) }
        }
        (links(context, (path, "tools"), (tools, matrix.tools.len(), matrix.tools_total), TOOLS))
        (links(context, (path, "agents"), (agents, matrix.agents.len(), matrix.agents_total), AGENTS))
    }
}

/// Writes a decision as a link to its explanation.
fn cell(context: &Context, [agent, server, tool]: [&str; 3], cell: &Cell) -> Markup {
    let words = &context.texts.agents;
    let may = cell.permission == "allow";
    let source = match cell.source.as_str() {
        "tool_grant" => &words.tool_rule,
        "server_grant" => &words.server_rule,
        _ => &words.no_rule,
    };
    let fields = [("view", "explain"), ("agent", agent), ("server", server), ("tool", tool)];
    html! {
        a href=(address(Nav::Agents.path(), &fields)) {
            span .state data-state=(if may { "SUCCESS" } else { "FAILURE" }) { @if may { "✓ " (words.may) } @else { "✕ " (words.may_not) } }
            br;
            @if let Some(role) = &cell.role { (words.role) " " (foreign(role)) }
            @else if let Some(policy) = &cell.policy { (words.policy) " " (foreign(policy)) }
            @else { (source) }
        }
    }
}
