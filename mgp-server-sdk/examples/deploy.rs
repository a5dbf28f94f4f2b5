//! A tool that asks before it acts, and publishes an event when it has finished.

use mgp_server_sdk::{Error, Server, Tool, ToolError, ask::Ask, events::Events};
use serde_json::json;

/// The channel for the end of a deployment.
const DEPLOYED: &str = "deploy.finished";

async fn deploy(ask: Ask, events: Events) -> Result<&'static str, ToolError> {
    // By a form, a callback or a round of input, depending on the host.
    if !ask.confirm("sure", "Deploy to production?").await? {
        return Ok("nothing is deployed");
    }
    events.publish(DEPLOYED, &json!({"target": "production"}))?;
    Ok("deployed")
}

pub(crate) fn server() -> Server {
    // The tool asks by itself, so a gateway in front of it does not need to.
    let deploy = Tool::new("deploy", "Deploys the project", deploy).destructive(false);
    Server::new("deployer", "1.0.0").channel(DEPLOYED).tool(deploy)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    server().serve_stdio().await
}
