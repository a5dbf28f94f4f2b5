//! Nothing answers callbacks yet (§13.4): they are offered to nobody, and one that comes all the same is answered with an error.

use crate::{
    log,
    raw_host::As,
    raw_server::{RawServer, error, result, says, text},
    support::{idle, start},
};
use mgp_client_sdk::Era;
use serde_json::{Value, json};
use std::time::Duration;

const ASKS: &str = "notifications/mgp.callback.request";

/// A server that speaks MGP, and asks by a callback in each call, and a host of it.
fn asking() -> RawServer {
    let mgp = json!({"version": "0.3.0", "extensions": ["bidirectional", "callbacks", "streaming"]});
    RawServer::new(Era::Initialize, json!({"tools": {}, "mgp": mgp}), |message| {
        let callback = |id: &str| json!({"callback_id": id, "type": "confirmation", "message": "Go on?"});
        match message["method"].as_str() {
            Some("tools/call") => {
                let mut inside = callback("cb-1");
                inside["request_id"] = message["id"].clone();
                Some(vec![
                    says(None, ASKS, inside),
                    says(None, ASKS, callback("cb-2")),
                    text(message, "done"),
                ])
            }
            Some("mgp/callback/respond") => Some(vec![result(message, json!({"accepted": true}))]),
            Some(method) if method.starts_with("mgp/") => Some(vec![error(message, -32601, "not here")]),
            _ => None,
        }
    })
}

fn offered(capabilities: &Value) -> Vec<&str> {
    capabilities["mgp"]["extensions"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect()
}

#[tokio::test]
async fn a_callback_of_a_server_is_answered_with_an_error_and_its_call_goes_on() {
    let server = asking();
    let setup = start(|kernel, _| kernel.server(server.spec("srv"))).await;
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    assert_eq!(host.text("work", json!({})).await, "done");
    let mut answers = server.has_read("mgp/callback/respond", 2).await;
    answers.sort_by_key(|answer| answer["params"]["callback_id"].to_string());
    let error = json!({"code": -32601, "message": "callbacks are not supported here: nobody was asked"});
    for (answer, id) in answers.iter().zip(["cb-1", "cb-2"]) {
        assert_eq!(answer["params"], json!({"callback_id": id, "response": {"error": error}}));
    }
    assert_eq!(host.count(ASKS), 0);
}

#[tokio::test]
async fn a_flood_of_callbacks_is_answered_within_bounds_and_warned_of_once_a_second_with_their_number() {
    let (warnings, _guard) = log::keep();
    // It takes no answer.
    let mgp = json!({"version": "0.3.0", "extensions": ["bidirectional", "streaming"]});
    let server =
        RawServer::new(Era::Initialize, json!({"tools": {}, "mgp": mgp}), |message| match message["method"]
            .as_str()
        {
            Some("mgp/callback/respond") => Some(Vec::new()),
            Some(method) if method.starts_with("mgp/") => Some(vec![error(message, -32601, "not here")]),
            _ => None,
        });
    let _setup = start(|kernel, _| kernel.server(server.spec("srv"))).await;
    server.has_read("initialize", 1).await;
    idle().await;
    tokio::time::pause();
    let floods = async || {
        for n in 0..100 {
            let params = json!({"callback_id": format!("cb-{n}"), "type": "confirmation", "message": "?"});
            server.say(says(None, ASKS, params));
        }
        // The clock moves once there is nothing to do.
        tokio::time::sleep(Duration::from_millis(500)).await;
        server.read_of("mgp/callback/respond").len()
    };
    let said = || -> Vec<_> {
        let of_callbacks = warnings.take().into_iter().filter(|said| said.message.contains("callback"));
        of_callbacks.map(|said| said.text).collect()
    };
    assert_eq!(floods().await, 16);
    let first = said();
    assert!(first.len() == 1 && first[0].contains("left_out=0"), "{first:?}");
    assert!(first[0].contains("cb-0") && first[0].contains("confirmation"), "{first:?}");
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(floods().await, 16);
    let second = said();
    assert!(second.len() == 1 && second[0].contains("left_out=99"), "{second:?}");
    // An answer that is not taken has its time, and leaves its place to others.
    tokio::time::sleep(Duration::from_secs(10)).await;
    assert_eq!(floods().await, 32);
}

#[tokio::test]
async fn callbacks_are_offered_to_no_server_and_no_host() {
    let server = asking();
    let setup = start(|kernel, _| kernel.server(server.spec("srv"))).await;
    let hello = server.has_read("initialize", 1).await.remove(0);
    let to_server = offered(&hello["params"]["capabilities"]);
    assert!(to_server.contains(&"streaming"), "{to_server:?}");
    // This host would take everything.
    let host = setup.raw_host(As::mgp(Era::Initialize)).await;
    let to_host = offered(&host.greeting["result"]["capabilities"]);
    assert!(to_host.contains(&"streaming"), "{to_host:?}");
    for missing in ["bidirectional", "callbacks", "code_safety"] {
        assert!(!to_server.contains(&missing) && !to_host.contains(&missing), "{to_server:?} {to_host:?}");
    }
}

#[tokio::test]
async fn what_a_server_asks_that_no_host_answers_is_an_unknown_method_with_and_without_a_call() {
    let server = asking();
    let setup = start(|kernel, _| kernel.server(server.spec("srv"))).await;
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    host.text("work", json!({})).await;
    for (id, method) in [(90, "mgp/callback/respond"), (91, "mgp/events/subscribe")] {
        server.say(says(Some(id), method, json!({"callback_id": "cb", "response": 1})));
        let answer = server.reads(|message| message["id"] == id && message.get("method").is_none(), 1).await;
        assert_eq!(answer[0]["error"]["code"], -32601, "{}", answer[0]);
    }
}
