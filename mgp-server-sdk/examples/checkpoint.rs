//! A tool that continues a call that failed or was cancelled, if its caller sends the checkpoint.

use mgp_server_sdk::{Error, Server, Tool, ToolError, checkpoint::Checkpoint, extract::Args};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::time::Duration;

#[derive(Deserialize, JsonSchema)]
struct Import {
    /// The number of rows.
    rows: u32,
    /// The row at which the connection breaks, once.
    breaks_at: Option<u32>,
}

/// The progress of an import, as the caller keeps it.
#[derive(Serialize, Deserialize)]
struct ImportState {
    rows: u32,
}

async fn import(Args(args): Args<Import>, checkpoint: Checkpoint) -> Result<String, ToolError> {
    let before: Option<ImportState> = checkpoint.state()?;
    let first = before.as_ref().map_or(0, |before| before.rows);
    for row in first..args.rows {
        if before.is_none() && args.breaks_at == Some(row) {
            return Err(ToolError::new(format!("the connection broke at row {row}")));
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
        checkpoint.save(&ImportState { rows: row + 1 })?;
    }
    Ok(format!("imported {} rows, from row {first} on", args.rows - first))
}

pub(crate) fn server() -> Server {
    Server::new("importer", "1.0.0").tool(Tool::new("import", "Imports rows", import))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    server().serve_stdio().await
}
