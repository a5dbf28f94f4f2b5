//! Notifications whose id is `null`, as some peers write it.

use crate::{
    raw_host::As,
    raw_server::{RawServer, says},
    support::start,
};
use mgp_kernel::Era;
use serde_json::{Value, json};

/// Returns a notification as such a peer writes it.
fn with_null(method: &str, params: Value) -> Value {
    let mut message = says(None, method, params);
    message["id"] = Value::Null;
    message
}

#[tokio::test]
async fn hosts_and_servers_may_write_the_id_null_in_notifications() {
    let mgp = json!({"version": "0.3.0", "extensions": ["callbacks", "streaming"]});
    let server = RawServer::new(Era::Initialize, json!({"tools": {}, "mgp": mgp}), |message| {
        // The call hangs.
        (message["method"] == "tools/call").then(Vec::new)
    });
    let setup = start(|kernel, _| kernel.server(server.spec("srv"))).await;
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    let call = json!({"name": "work", "arguments": {}, "_mgp": {"stream": true}});
    let call = host.send("tools/call", call).await;
    let sent = server.has_read("tools/call", 1).await.remove(0);
    let chunk = json!({"request_id": sent["id"], "index": 0, "content": {"type": "text", "text": "a"}, "done": false});
    server.say(with_null("notifications/mgp.stream.chunk", chunk));
    let heard = host.hear("notifications/mgp.stream.chunk").await;
    assert_eq!((heard.get("id"), &heard["params"]["request_id"]), (None, &json!(call)));
    let asked =
        json!({"callback_id": "a", "request_id": sent["id"], "type": "confirmation", "message": "Go on?"});
    server.say(with_null("notifications/mgp.callback.request", asked));
    let heard = host.hear("notifications/mgp.callback.request").await;
    assert_eq!((heard.get("id"), &heard["params"]["message"]), (None, &json!("[srv] Go on?")));
    host.say(with_null("notifications/cancelled", json!({"requestId": call}))).await;
    let cancels = |message: &Value| match message["method"].as_str() {
        Some("notifications/cancelled") => message["params"]["requestId"] == sent["id"],
        Some("mgp/stream/cancel") => message["params"]["request_id"] == sent["id"],
        _ => false,
    };
    server.reads(cancels, 1).await;
}
