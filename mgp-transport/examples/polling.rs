//! A server over HTTP, without an SDK, whose one tool closes its stream while it runs: the client polls for the result.
//!
//! `cargo run -p mgp-transport --features http-server --example polling -- 127.0.0.1:3000`, and then any MCP client on
//! `http://127.0.0.1:3000/mcp`. HTTP+SSE is at `/sse`.

use mgp_transport::{
    http::server::HttpServer,
    seam::{BoxError, Incoming, Reply, Session, boxed},
};
use mgp_types::{
    json::RawJson,
    mcp::ProtocolVersion,
    rpc::{ErrorObject, JsonRpcCode},
};
use std::time::Duration;

const TOOLS: &str = r#"{"tools":[{"name":"test_reconnection","description":"Takes a moment and lets you poll",
    "inputSchema":{"type":"object","properties":{}}}]}"#;

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    let address = std::env::args().nth(1).unwrap_or_else(|| "127.0.0.1:0".to_owned());
    let server = HttpServer::builder(|_: &Session| (boxed(tower::service_fn(serve)), None));
    let mut serving = server.http_sse("/sse").build().bind(address).await?;
    println!("http://{}/mcp", serving.address());
    Ok(serving.ended().await?)
}

async fn serve(message: Incoming) -> Result<Reply, BoxError> {
    if message.is_notification() {
        return Ok(Reply::none());
    }
    Ok(match &*message.method {
        "initialize" => {
            let asked = message.params.object()?.text("protocolVersion").unwrap_or_default();
            let version = ProtocolVersion::answer(&asked);
            Reply::ok(RawJson::parse(format!(
                r#"{{"protocolVersion":"{version}","capabilities":{{"tools":{{}}}},"serverInfo":{{"name":"polling","version":"1"}}}}"#
            ))?)
        }
        "tools/list" => Reply::ok(RawJson::parse(TOOLS)?),
        "tools/call" => {
            if let Some(peer) = message.peer() {
                peer.close_stream();
            }
            tokio::time::sleep(Duration::from_millis(300)).await;
            Reply::ok(RawJson::parse(r#"{"content":[{"type":"text","text":"It took a moment."}]}"#)?)
        }
        method => {
            let message = format!("unknown method: {method}");
            Reply::error(ErrorObject::new(JsonRpcCode::MethodNotFound, message))
        }
    })
}
