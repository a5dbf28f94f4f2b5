//! `mgp tools accept`.

use super::DefinitionRow;
use crate::{
    error::CliError,
    exit::Exit,
    operator::operator,
    output::{Outcome, printable},
    setup::Setup,
};
use clap::Args;
use mgp_types::context::ToolId;
use serde::Serialize;

#[derive(Debug, Args)]
pub(in crate::command::tools) struct AcceptArgs {
    /// The id of the server
    server: String,
    /// The tools, by the server's own names; without any, all tools that changed
    tools: Vec<String>,
    /// The first digits of the definition's hash, as `mgp tools diff` shows them; a definition with another hash is
    /// not accepted
    #[arg(long, value_name = "DIGITS", value_parser = digits, conflicts_with = "unseen")]
    hash: Option<String>,
    /// Accept whatever definitions the server lists at this moment
    #[arg(long)]
    unseen: bool,
}

/// The minimum number of digits of a hash.
const MIN_DIGITS: usize = 8;

fn digits(text: &str) -> Result<String, String> {
    let hex = |c: char| c.is_ascii_hexdigit();
    if text.len() < MIN_DIGITS || !text.chars().all(hex) {
        return Err(format!("expected at least {MIN_DIGITS} hexadecimal digits"));
    }
    Ok(text.to_ascii_lowercase())
}

#[derive(Serialize)]
struct Report {
    accepted: Vec<DefinitionRow>,
}

pub(super) async fn accept(setup: &Setup, args: AcceptArgs) -> Result<Outcome, CliError> {
    if args.hash.is_some() && args.tools.len() != 1 {
        return Err(CliError::usage("--hash is the hash of one tool's definition: expected one tool"));
    }
    if args.hash.is_none() && !args.unseen {
        let problem = "expected the hash of the definition that you looked at, or --unseen for whatever the server lists";
        return Err(
            CliError::usage(problem).help("`mgp tools diff` shows what changed, and the whole command")
        );
    }
    let log = setup.audit()?;
    let definitions = setup.definitions(&log).await?;
    let mut tools = args.tools;
    if tools.is_empty() {
        let rows = definitions.rows().await?.into_iter();
        let changed = rows.filter(|pin| *pin.tool.server_id == *args.server && pin.change.is_some());
        tools = changed.map(|pin| pin.tool.tool_name.to_string()).collect();
    }
    if tools.is_empty() {
        let problem = format!("no tool of a server {:?} has changed since it was accepted", args.server);
        return Err(CliError::new(Exit::NotFound, problem).help("see `mgp tools diff`"));
    }
    let (mut report, mut lines) = (Report { accepted: Vec::new() }, Vec::new());
    for tool in tools {
        let tool = ToolId::new(&*args.server, tool);
        let before =
            definitions.accept_hash(&tool, args.hash.as_deref().unwrap_or_default(), &operator()).await?;
        let (server, name) = (&tool.server_id, &tool.tool_name);
        lines.push(printable(&format!("{server}: the definition of {name} is accepted")).into_owned());
        report.accepted.extend(DefinitionRow::of(&before));
    }
    log.flush().await.map_err(CliError::failed)?;
    Outcome::new(lines.join("\n"), &report)
}
