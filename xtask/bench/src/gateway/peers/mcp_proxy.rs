//! mcp-proxy, in Rust: the row that ours must beat.

use super::{
    package::Package,
    peer::{Peer, Start},
};
use crate::gateway::server::Target;
use tokio::process::Command;

pub(super) static PEER: Peer = Peer {
    name: "mcp-proxy 0.6.0",
    path: "/",
    tool: "adder/add",
    slower: 1,
    package: Package::Cargo("mcp-proxy", "0.6.0"),
    command,
    registration: None,
};

fn command(start: &Start<'_>) -> Result<Command, String> {
    let backend = match start.target {
        Target::Child(program) => {
            format!("transport = \"stdio\"\ncommand = {program:?}\nargs = [\"--server\", \"stdio\"]")
        }
        Target::Url(url) => format!("transport = \"http\"\nurl = {url:?}"),
    };
    let (host, port) = (start.address.ip(), start.address.port());
    let text = format!(
        "[proxy]\nname = \"bench\"\n\n[proxy.listen]\nhost = \"{host}\"\nport = {port}\n\n\
         [[backends]]\nname = \"adder\"\n{backend}\n"
    );
    let mut command = Command::new(start.package.program("mcp-proxy"));
    command.arg("--config").arg(start.file("proxy.toml", &text)?);
    Ok(command)
}
