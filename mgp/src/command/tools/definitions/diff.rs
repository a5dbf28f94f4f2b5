//! `mgp tools diff`.

use super::DefinitionRow;
use crate::{
    command::known::{server_or_text, servers},
    error::CliError,
    exit::Exit,
    output::{Outcome, note},
    setup::Setup,
};
use clap::Args;
use mgp_types::context::ToolId;
use serde::Serialize;

#[derive(Debug, Args)]
pub(in crate::command::tools) struct DiffArgs {
    /// Only the tools of this server, by its id or an unambiguous beginning of it; or a file with the old tools
    #[arg(value_name = "SERVER|OLD.json")]
    server: Option<String>,
    /// Only this tool, by the server's own name; or a file with the new tools
    #[arg(value_name = "TOOL|NEW.json")]
    tool: Option<String>,
}

impl DiffArgs {
    /// Returns the two files to compare, if files are named.
    pub(super) fn files(&self) -> Option<(&str, &str)> {
        let (old, new) = (self.server.as_deref()?, self.tool.as_deref()?);
        let is_file = |name: &str| {
            name == "-" || std::path::Path::new(name).extension().is_some_and(|end| end == "json")
        };
        (is_file(old) && is_file(new)).then_some((old, new))
    }
}

#[derive(Serialize)]
struct Report {
    definitions: Vec<DefinitionRow>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unreadable: Vec<Unreadable>,
}

#[derive(Serialize)]
struct Unreadable {
    server_id: String,
    tool_name: String,
    problem: String,
}

pub(super) async fn diff(setup: &Setup, args: DiffArgs) -> Result<Outcome, CliError> {
    let log = setup.audit()?;
    let definitions = setup.definitions(&log).await?;
    let pinned = definitions.rows().await?;
    let mut unreadable = definitions.unreadable();
    let tools = pinned.iter().map(|pin| &pin.tool).chain(unreadable.iter().map(|pin| &pin.tool));
    let mut ids: Vec<_> = tools.map(|tool| tool.server_id.to_string()).collect();
    // A server without pinned definitions can be named by its id.
    ids.extend(servers(setup).await);
    let server = args.server.as_deref().map(|given| server_or_text(given, &ids)).transpose()?;
    let is_meant = |tool: &ToolId| {
        server.as_ref().is_none_or(|server| *tool.server_id == **server)
            && args.tool.as_ref().is_none_or(|name| *tool.tool_name == **name)
    };
    let pins: Vec<_> = pinned.into_iter().filter(|pin| is_meant(&pin.tool)).collect();
    unreadable.retain(|pin| is_meant(&pin.tool));
    if let Some(server) = &server
        && pins.is_empty()
        && unreadable.is_empty()
    {
        let what = args.tool.map_or_else(String::new, |tool| format!(" with a tool {tool:?}"));
        let problem = format!("no gateway has pinned a definition of a server {server:?}{what}");
        return Err(CliError::new(Exit::NotFound, problem).help("see `mgp tools list`"));
    }
    unreadable.iter().for_each(|pin| note(&pin.to_string()));
    let report = Report {
        definitions: pins.iter().filter_map(DefinitionRow::of).collect(),
        unreadable: unreadable
            .into_iter()
            .map(|pin| Unreadable {
                server_id: pin.tool.server_id.to_string(),
                tool_name: pin.tool.tool_name.to_string(),
                problem: pin.problem,
            })
            .collect(),
    };
    let text = report.definitions.iter().map(DefinitionRow::text).collect::<Vec<_>>().join("\n\n");
    if report.definitions.is_empty() && report.unreadable.is_empty() {
        note(&format!("pinned definitions: {}, all as they were accepted", pins.len()));
        return Outcome::new(text, &report);
    }
    Ok(Outcome::new(text, &report)?.with_exit(Exit::Failed))
}
