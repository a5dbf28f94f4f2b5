//! The tool servers of a run: each tool notes that it ran.

use super::effects;
use mgp_server_sdk::{
    Server, Tool, ToolError,
    ask::Ask,
    extract::{Args, State},
};
use mgp_types::{
    json::RawJson,
    mcp::{ElicitAction, ElicitParams},
};
use schemars::JsonSchema;
use serde::Deserialize;
use std::{
    net::SocketAddr,
    path::{Path, PathBuf},
    time::Duration,
};

/// The server over stdio, in each replica.
pub(crate) const LOCAL: &str = "local";
/// The server over HTTP, which all replicas use.
pub(crate) const REMOTE: &str = "remote";
/// The server over stdio that needs a right.
pub(crate) const GUARDED: &str = "guarded";

/// The tool that has a limit a minute.
pub(crate) const RUSH: &str = "rush";

#[derive(Deserialize, JsonSchema)]
struct Operation {
    /// The name of the call.
    operation: String,
    /// The time to take after the effect, in milliseconds.
    #[serde(default)]
    ms: u64,
}

async fn note(
    Args(Operation { operation, ms }): Args<Operation>,
    State(file): State<PathBuf>,
) -> Result<&'static str, ToolError> {
    effects::note(&file, "note", &operation)?;
    tokio::time::sleep(Duration::from_millis(ms)).await;
    Ok("noted")
}

async fn rush(
    Args(Operation { operation, .. }): Args<Operation>,
    State(file): State<PathBuf>,
) -> Result<&'static str, ToolError> {
    effects::note(&file, RUSH, &operation)?;
    Ok("noted")
}

async fn undo(
    Args(Operation { operation, .. }): Args<Operation>,
    State(file): State<PathBuf>,
) -> Result<&'static str, ToolError> {
    effects::note(&file, "undo", &operation)?;
    Ok("undone")
}

async fn ask(
    Args(Operation { operation, .. }): Args<Operation>,
    State(file): State<PathBuf>,
    ask: Ask,
) -> Result<&'static str, ToolError> {
    let form = RawJson::parse(r#"{"type":"object","properties":{"name":{"type":"string"}}}"#)?;
    let answer = ask.elicit("name", ElicitParams::form("Who are you?", form)).await?;
    if answer.action != ElicitAction::Accept {
        return Ok("not noted");
    }
    effects::note(&file, "ask", &operation)?;
    Ok("noted")
}

fn server(name: &str, file: &Path) -> Server {
    let tool = |tool: &str| format!("{tool}_{name}");
    Server::new(name, "1.0.0")
        .state(file.to_path_buf())
        .tool(Tool::new(tool("note"), "Notes that it ran", note).destructive(false))
        .tool(Tool::new(tool(RUSH), "Notes that it ran", rush).destructive(false))
        .tool(Tool::new(tool("undo"), "Notes that it was undone", undo).destructive(false))
        .tool(Tool::new(tool("ask"), "Asks, and notes that it ran", ask).destructive(false))
}

/// Serves the tools of a server, over HTTP if an address is given.
pub(crate) fn serve(name: &str, file: &Path, address: Option<SocketAddr>) -> Result<(), String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| format!("failed to start: {error}"))?;
    let ended = runtime.block_on(async {
        let server = server(name, file);
        match address {
            None => server.serve_stdio().await,
            Some(address) => {
                let host = address.to_string();
                let http = server.build()?.http().allow_host(&host).open_to_all();
                Ok(http.serve(address).await?)
            }
        }
    });
    runtime.shutdown_background();
    ended.map_err(|error: mgp_server_sdk::Error| error.to_string())
}
