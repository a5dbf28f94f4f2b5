//! A client of one server: it connects, lists the tools and calls one.
//!
//! Run it with `cargo run -p mgp-client-sdk --example client`.
use mgp_client_sdk::{RawJson, client::Client, mcp::ProgressParams};
use mgp_server_sdk::{Progress, Server, Tool, extract::Args};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Count {
    to: u32,
}

async fn count(Args(Count { to }): Args<Count>, mut progress: Progress) -> String {
    for number in 1..=to {
        // Who did not ask for progress is told nothing, and that is no error.
        let _ = progress.report(f64::from(number), Some(f64::from(to)), None).await;
    }
    format!("counted to {to}")
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A server in this process, so that the example needs no other. `connect_child` starts one as a process, and
    // `connect_http` speaks to one over HTTP.
    let server = Server::new("counter", "1.0.0").tool(Tool::new("count", "Counts upwards", count)).build()?;
    let (input, output) = server.in_process();
    let client = Client::builder("example", "1.0.0").connect(input, output).await?;

    for tool in client.list_tools().await? {
        println!("{}: {}", tool.name, tool.description.unwrap_or_default());
    }
    let arguments = RawJson::parse(r#"{"to": 3}"#)?;
    let hear = |step: ProgressParams| println!("heard {}", step.progress);
    let result = client.call_tool_with_progress("count", arguments, hear).await?;
    println!("{}", result.content[0].as_text().unwrap_or_default());
    Ok(())
}
