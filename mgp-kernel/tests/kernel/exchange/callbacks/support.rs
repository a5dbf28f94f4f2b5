//! Servers that ask by callbacks, and their hosts.

use crate::{
    raw_host::{As, RawHost},
    raw_server::{RawServer, error, result, says, text},
    support::{Setup, start},
};
use mgp_discovery::config::HostFeature;
use mgp_kernel::Era;
use serde_json::{Value, json};

pub(super) const ASKS: &str = "notifications/mgp.callback.request";
pub(super) const RESPOND: &str = "mgp/callback/respond";
pub(super) const HOST_ASKED: &str = "dev.cloto.mgp.HOST_ASKED";

pub(super) fn capabilities() -> Value {
    json!({"tools": {}, "mgp": {"version": "0.3.0", "extensions": ["callbacks", "streaming"]}})
}

/// A server that takes callbacks for agreed, and does nothing by itself: its calls hang.
pub(super) fn silent() -> RawServer {
    RawServer::new(Era::Initialize, capabilities(), |message| match message["method"].as_str() {
        Some("tools/call") => Some(Vec::new()),
        Some(RESPOND) => Some(vec![result(message, json!({"accepted": true}))]),
        Some(method) if method.starts_with("mgp/") => Some(vec![error(message, -32601, "not here")]),
        _ => None,
    })
}

/// A server that asks by one callback in each call, and answers the call with the response that it gets.
pub(super) fn asks(kind: &'static str, options: Value) -> RawServer {
    let call = parking_lot::Mutex::new(Value::Null);
    RawServer::new(Era::Initialize, capabilities(), move |message| match message["method"].as_str() {
        Some("tools/call") => {
            *call.lock() = message.clone();
            let mut asked = question("own-1", &message["id"]);
            (asked["params"]["type"], asked["params"]["options"]) = (kind.into(), options.clone());
            // A text that wants no answer holds nothing up.
            let done = (kind == "notification").then(|| text(message, "done"));
            Some([Some(asked), done].into_iter().flatten().collect())
        }
        Some(RESPOND) => {
            let response = message["params"]["response"].to_string();
            Some(vec![result(message, json!({"accepted": true})), text(&call.lock(), &response)])
        }
        Some(method) if method.starts_with("mgp/") => Some(vec![error(message, -32601, "not here")]),
        _ => None,
    })
}

/// Returns a confirmation for a call, or for no call that it names.
pub(super) fn question(id: &str, call: &Value) -> Value {
    let mut params = json!({"callback_id": id, "type": "confirmation", "message": "Go on?"});
    if !call.is_null() {
        params["request_id"] = call.clone();
    }
    says(None, ASKS, params)
}

pub(super) async fn setup(server: &RawServer, features: &[HostFeature]) -> Setup {
    let mut spec = server.spec("srv");
    spec.host_features = features.to_vec();
    start(|kernel, _| kernel.server(spec)).await
}

/// Starts a kernel in front of a server, and a host of it with a call in flight. Returns the server's id of the call and the host's.
pub(super) async fn calling(server: &RawServer) -> (Setup, RawHost, Value, i64) {
    let setup = setup(server, &HostFeature::ALL).await;
    let (host, own, call) = caller(&setup, server, 1).await;
    (setup, host, own, call)
}

/// Connects a host that makes the call of a number. Returns the server's id of the call and the host's.
pub(super) async fn caller(setup: &Setup, server: &RawServer, number: usize) -> (RawHost, Value, i64) {
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    let call = host.send("tools/call", json!({"name": "work", "arguments": {}})).await;
    let own = server.has_read("tools/call", number).await.remove(number - 1)["id"].take();
    (host, own, call)
}

/// Reads up to the next callback, and returns its params.
pub(super) async fn callback(host: &mut RawHost) -> Value {
    host.hear(ASKS).await["params"].take()
}

/// Answers a callback, and returns the receipt.
pub(super) async fn respond(host: &mut RawHost, asked: &Value, response: Value) -> Value {
    let params = json!({"callback_id": asked["callback_id"], "response": response});
    host.once(RESPOND, params).await["result"].take()
}

/// Waits for the response of a number to a callback of a server.
pub(super) async fn response(server: &RawServer, id: &str, number: usize) -> Value {
    let of_it = |message: &Value| message["method"] == RESPOND && message["params"]["callback_id"] == id;
    server.reads(of_it, number).await.remove(number - 1)["params"]["response"].take()
}

/// Waits for the error in the response of a number to a callback of a server.
pub(super) async fn refusal(server: &RawServer, id: &str, number: usize) -> String {
    let response = response(server, id, number).await;
    response["error"]["message"].as_str().unwrap_or_else(|| panic!("{response}")).to_owned()
}

/// Calls the tool, and returns the text of its result.
pub(super) async fn worked(host: &mut RawHost) -> String {
    let reply = host.ask("tools/call", json!({"name": "work", "arguments": {}})).await;
    reply["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{reply}")).to_owned()
}

pub(super) fn offered(capabilities: &Value) -> Vec<&str> {
    capabilities["mgp"]["extensions"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect()
}
