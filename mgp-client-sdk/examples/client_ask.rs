//! A server's question to the user, which the client's handler answers.
//!
//! Run it with `cargo run -p mgp-client-sdk --example client_ask`.
use mgp_client_sdk::{
    RawJson,
    client::Client,
    mcp::{ElicitAction, ElicitParams, ElicitResult},
};
use mgp_server_sdk::{Server, Tool, ToolError, ask::Ask};

async fn delete(ask: Ask) -> Result<&'static str, ToolError> {
    let form = RawJson::parse(r#"{"type":"object","properties":{}}"#)?;
    let answer = ask.elicit("sure", ElicitParams::form("Delete everything?", form)).await?;
    Ok(if answer.action == ElicitAction::Accept { "deleted" } else { "kept" })
}

/// A program with a user would show the message and wait for a click.
async fn ask_the_user(question: ElicitParams) -> ElicitResult {
    println!("the server asks: {}", question.message());
    ElicitResult::decline()
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let server = Server::new("files", "1.0.0").tool(Tool::new("delete", "Deletes files", delete)).build()?;
    let (input, output) = server.in_process();
    let client = Client::builder("example", "1.0.0").on_elicit(ask_the_user).connect(input, output).await?;

    let outcome: String = client.call("delete", ()).await?;
    println!("{outcome}");
    assert!(outcome == "kept");
    Ok(())
}
