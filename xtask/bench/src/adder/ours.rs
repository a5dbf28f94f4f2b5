//! Ours: the tool on our server SDK.

use super::add::{Add, NAME};
use mgp_server_sdk::{Server, ServerStack, Tool, extract::Args};

/// The server with the tool.
pub(crate) fn server() -> Result<ServerStack, String> {
    let tool = Tool::new(NAME, "Adds two numbers", add);
    Server::new("adder", "1.0.0").tool(tool).build().map_err(|error| error.to_string())
}

async fn add(Args(add): Args<Add>) -> String {
    add.sum()
}
