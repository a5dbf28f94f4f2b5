//! mcp-proxy, in Python: serves a server over stdio to hosts over HTTP. It does not build on the SDK's second version.

use super::{
    package::Package,
    peer::{Peer, Start},
};
use crate::gateway::server::Target;
use tokio::process::Command;

pub(super) static PEER: Peer = Peer {
    name: "mcp-proxy 0.12.0 of PyPI",
    path: "/mcp",
    tool: "add",
    slower: 40,
    package: Package::Pip("mcp-proxy", "0.12.0", &["mcp==1.30.0"]),
    command,
    registration: None,
};

fn command(start: &Start<'_>) -> Result<Command, String> {
    let Target::Child(program) = start.target else {
        return Err("it serves a server over stdio to hosts over HTTP, but not a server over HTTP".to_owned());
    };
    let mut command = Command::new(start.package.program("mcp-proxy"));
    command.arg("--host").arg(start.address.ip().to_string());
    command.arg("--port").arg(start.address.port().to_string());
    command.args(["--log-level", "ERROR", "--"]).arg(program).args(["--server", "stdio"]);
    Ok(command)
}
