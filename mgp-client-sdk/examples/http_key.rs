//! A server over HTTP that requires a key.
//!
//! Run it with `cargo run -p mgp-client-sdk --all-features --example http_key`.
use mgp_client_sdk::{HttpClientConfig, Principal, client::Client};
use mgp_server_sdk::{Server, Tool};
use mgp_transport::http::server::{ApiKey, HttpServer};
use mgp_types::context::ActorType;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A local server, so that the example needs no other.
    let stack =
        Server::new("clock", "1.0.0").tool(Tool::new("time", "Says the time", async || "noon")).build()?;
    let (key, judged) = ApiKey::generate()?;
    let server = HttpServer::builder(move |_| (stack.service(), Some(stack.lane())))
        .api_key(judged, Principal::new("alice", ActorType::Agent, false));
    let serving = server.build().bind("127.0.0.1:0").await?;
    let url = format!("http://{}/mcp", serving.address());

    let stranger = Client::builder("stranger", "1.0.0").connect_http(&url, HttpClientConfig::default()).await;
    println!("without the key: {}", stranger.err().ok_or("expected a refusal")?);

    let config = HttpClientConfig { bearer: Some(key), ..HttpClientConfig::default() };
    let client = Client::builder("example", "1.0.0").connect_http(&url, config).await?;
    let time: String = client.call("time", ()).await?;
    println!("with the key: {time}");
    assert!(time == "noon");
    client.close().await;
    serving.shutdown().await;
    Ok(())
}
