//! A complete tool server.
use mgp_server_sdk::{Error, Server, Tool, extract::Args};
use schemars::JsonSchema;
use serde::Deserialize;
#[derive(Deserialize, JsonSchema)]
struct Add {
    a: f64,
    b: f64,
}
async fn add(Args(Add { a, b }): Args<Add>) -> String {
    (a + b).to_string()
}
#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    Server::new("adder", "1.0.0").tool(Tool::new("add", "Adds two numbers", add)).serve_stdio().await
}
