//! IBM's ContextForge, in Python, without authentication and with its database in SQLite. Servers are registered while it runs.

use super::{
    package::Package,
    peer::{Peer, Registration, Start},
};
use crate::gateway::server::Target;
use serde_json::json;
use tokio::process::Command;

pub(super) static PEER: Peer = Peer {
    name: "ContextForge 1.0.7",
    path: "/mcp/",
    tool: "adder-add",
    slower: 100,
    package: Package::Pip("mcp-contextforge-gateway", "1.0.7.post20260921", &[]),
    command,
    registration: Some(Registration { path: "/gateways", body: server }),
};

/// A key for signing tokens, of which there are none here.
const KEY: &str = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJ";

fn command(start: &Start<'_>) -> Result<Command, String> {
    url(start.target)?;
    let mut command = Command::new(start.package.program("mcpgateway"));
    command.arg("--host").arg(start.address.ip().to_string());
    command.arg("--port").arg(start.address.port().to_string());
    command.envs([
        ("AUTH_REQUIRED", "false"),
        ("ALLOW_UNAUTHENTICATED_ADMIN", "true"),
        ("SSRF_ALLOW_LOCALHOST", "true"),
        ("JWT_SECRET_KEY", KEY),
        ("AUTH_ENCRYPTION_SECRET", KEY),
        ("DATABASE_URL", "sqlite:///./gateway.db"),
        // The default limit is 100 calls a minute.
        ("RATE_LIMITING_ENABLED", "false"),
        ("LOG_LEVEL", "ERROR"),
    ]);
    Ok(command)
}

fn url(target: &Target) -> Result<&str, String> {
    match target {
        Target::Url(url) => Ok(url),
        Target::Child(_) => Err("it connects to servers over HTTP, but not over stdio".to_owned()),
    }
}

fn server(target: &Target) -> Result<String, String> {
    let server = json!({
        "name": "adder",
        "url": url(target)?,
        "transport": "STREAMABLEHTTP",
        "visibility": "public",
    });
    Ok(server.to_string())
}
