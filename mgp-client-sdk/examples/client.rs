//! A client of one server: it connects, lists the tools and calls one.
//!
//! Run it with `cargo run -p mgp-client-sdk --example client`.
use mgp_client_sdk::client::Client;
use mgp_server_sdk::{Server, Tool, extract::Args};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, JsonSchema)]
struct Count {
    to: u32,
}

async fn count(Args(Count { to }): Args<Count>) -> String {
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
    let counted: String = client.call("count", &Count { to: 3 }).await?;
    println!("{counted}");
    Ok(())
}
