//! `mgp tools list`.

use crate::{
    cli::{
        error::CliError,
        output::{Outcome, note, shortened, table},
        setup::Setup,
    },
    kernel::Kernel,
};
use mgp_types::context::RiskLevel;
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
    /// How many permissions nobody has decided on; the tools that need them are not shown.
    undecided_permissions: usize,
    not_connected: Vec<String>,
}

/// How much of a description the table shows, in characters.
const SHOWN: usize = 72;

pub(super) async fn list(
    kernel: &Kernel,
    setup: &Setup,
    not_connected: Vec<String>,
) -> Result<Outcome, CliError> {
    let rows = kernel.tools(&setup.principal()).into_iter().map(|named| Row {
        name: named.name.to_string(),
        server_id: named.tool.id().server_id.to_string(),
        risk_level: named.tool.risk(),
        description: named.tool.description(),
    });
    let list = List {
        agent: setup.agent.clone(),
        tools: rows.collect(),
        undecided_permissions: kernel.permissions().pending().await?.len(),
        not_connected,
    };
    if list.undecided_permissions > 0 {
        note("tools that wait for a permission are not shown; see `mgp approve`");
    }
    if list.tools.is_empty() {
        note(&format!("agent {:?} may call nothing; see `mgp access list`", list.agent));
        return Outcome::new("", &list);
    }
    let rows = list.tools.iter().map(|row| {
        let description = shortened(row.description.as_deref().unwrap_or_default(), SHOWN);
        [row.name.clone(), row.server_id.clone(), row.risk_level.to_string(), description]
    });
    let text = table(["name", "server", "risk", "description"], rows);
    Outcome::new(text, &list)
}
