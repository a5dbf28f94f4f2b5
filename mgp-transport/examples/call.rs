//! A client over HTTP, without an SDK: performs the handshake, lists the tools, and calls one without arguments if one is named.
//!
//! `cargo run -p mgp-transport --features http-client --example call -- http://127.0.0.1:3000/mcp [TOOL]`. The example detects
//! whether the server uses Streamable HTTP or HTTP+SSE. The URL may also come last, as in programs that append it.

use mgp_transport::{
    connection::Connection,
    http::client::{ClientTransport, HttpClient, HttpClientConfig},
    seam::{BoxError, Incoming, Reply, boxed},
};
use mgp_types::{json::RawJson, rpc::ErrorObject, rpc::JsonRpcCode};

const HELLO: &str =
    r#"{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"call","version":"1"}}"#;

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    args.sort_by_key(|arg| !arg.starts_with("http"));
    let url = args.first().ok_or("expected the URL of a server")?;
    let config = HttpClientConfig { transport: ClientTransport::Auto, ..HttpClientConfig::default() };
    let connection = HttpClient::connect(url, config, Connection::builder(boxed(tower::service_fn(refuse))))?;
    let peer = connection.peer();
    println!("{}", peer.request_raw("initialize", RawJson::parse(HELLO)?).await?);
    peer.notify("notifications/initialized", RawJson::empty_object()).await?;
    println!("{}", peer.request_raw("tools/list", RawJson::empty_object()).await?);
    if let Some(tool) = args.get(1) {
        let params = RawJson::from_value(&serde_json::json!({ "name": tool, "arguments": {} }))?;
        println!("{}", peer.request_raw("tools/call", params).await?);
    }
    connection.close().await;
    Ok(())
}

/// Refuses every request of the server, because this client has no features.
async fn refuse(message: Incoming) -> Result<Reply, BoxError> {
    if message.is_notification() {
        return Ok(Reply::none());
    }
    let error = format!("unknown method: {}", message.method);
    Ok(Reply::error(ErrorObject::new(JsonRpcCode::MethodNotFound, error)))
}
