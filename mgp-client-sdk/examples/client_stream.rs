//! A result that arrives in chunks (§12).
//!
//! Run it with `cargo run -p mgp-client-sdk --example client_stream`.
use mgp_client_sdk::client::{Client, ToolEvent};
use mgp_server_sdk::{Server, StreamContent, StreamSink, Tool, ToolError, extract::Args};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, JsonSchema)]
struct Tale {
    hero: String,
}

async fn tell(Args(Tale { hero }): Args<Tale>, mut sink: StreamSink) -> Result<StreamContent, ToolError> {
    for word in ["Once ", "there ", "was ", &hero] {
        sink.send_text(word).await?;
    }
    Ok(sink.finish())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let server = Server::new("teller", "1.0.0").tool(Tool::new("tell", "Tells a tale", tell)).build()?;
    let (input, output) = server.in_process();
    let client = Client::builder("example", "1.0.0").connect(input, output).await?;

    let (mut tale, mut heard) = (client.stream("tell", &Tale { hero: "a crab".into() }), 0);
    while let Some(event) = tale.next().await {
        if let ToolEvent::Chunk(chunk) = event {
            println!("{}", chunk.content.as_text().unwrap_or_default());
            heard += 1;
        }
    }
    let whole: String = tale.result().await?;
    println!("{whole}");
    assert!(heard == 4);
    Ok(())
}
