//! supergateway, on Node: serves a server over stdio to hosts over HTTP, with a process of the server for each session.

use super::{
    package::Package,
    peer::{Peer, Start},
};
use crate::gateway::server::Target;
use tokio::process::Command;
use xtask_install::NpmPackage;

pub(super) static PEER: Peer = Peer {
    name: "supergateway 4.0.0",
    path: "/mcp",
    tool: "add",
    slower: 10,
    package: Package::Npm(NpmPackage { name: "supergateway", version: "4.0.0" }),
    command,
    registration: None,
};

fn command(start: &Start<'_>) -> Result<Command, String> {
    let Target::Child(program) = start.target else {
        return Err("it serves a server over stdio to hosts over HTTP, but not a server over HTTP".to_owned());
    };
    let mut command = Command::new("node");
    command.arg(start.package.program("dist/index.js"));
    command.arg("--stdio").arg(format!("{program} --server stdio"));
    command.args(["--outputTransport", "streamableHttp", "--stateful", "--logLevel", "none"]);
    command.arg("--port").arg(start.address.port().to_string());
    Ok(command)
}
