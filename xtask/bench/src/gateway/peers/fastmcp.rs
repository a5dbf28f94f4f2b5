//! FastMCP's proxy, in Python: `fastmcp run` with a file of MCP servers.

use super::{
    package::Package,
    peer::{Peer, Start},
};
use crate::gateway::server::Target;
use serde_json::json;
use tokio::process::Command;

pub(super) static PEER: Peer = Peer {
    name: "FastMCP 4.1.2",
    path: "/mcp",
    tool: "add",
    slower: 40,
    package: Package::Pip("fastmcp", "4.1.2", &[]),
    command,
    registration: None,
};

fn command(start: &Start<'_>) -> Result<Command, String> {
    let server = match start.target {
        Target::Child(program) => json!({ "command": program, "args": ["--server", "stdio"] }),
        Target::Url(url) => json!({ "url": url }),
    };
    let file = start.file("fastmcp.json", &json!({ "mcpServers": { "adder": server } }).to_string())?;
    let mut command = Command::new(start.package.program("fastmcp"));
    command.arg("run").arg(file).args(["--transport", "http", "--no-banner", "--log-level", "ERROR"]);
    command.arg("--host").arg(start.address.ip().to_string());
    command.arg("--port").arg(start.address.port().to_string());
    Ok(command)
}
