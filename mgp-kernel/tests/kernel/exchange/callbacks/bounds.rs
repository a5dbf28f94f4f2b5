//! The time of callbacks, and their number.

use super::support::{
    ASKS, HOST_ASKED, callback, caller, calling, question, refusal, respond, response, silent,
};
use crate::{
    features::eras::events,
    log,
    raw_server::{RawServer, error, says, text},
    support::{idle, pause_clock, start},
};
use mgp_kernel::Era;
use serde_json::{Value, json};
use std::time::Duration;

#[tokio::test]
async fn a_late_answer_is_rejected_and_the_server_does_not_wait() {
    for (own_limit, limit) in [(Value::Null, 300), (json!(200), 200), (json!(60_000), 300)] {
        let server = silent();
        let mut spec = server.spec("srv");
        spec.question_timeout = Duration::from_millis(300);
        let setup = start(|kernel, _| kernel.server(spec)).await;
        let (mut host, own, _) = caller(&setup, &server, 1).await;
        let _paused = pause_clock();
        let mut asked = question("a", &own);
        asked["params"]["timeout_ms"] = own_limit;
        server.say(asked);
        assert_eq!(refusal(&server, "a", 1).await, "the host did not answer in time");
        let asked = callback(&mut host).await;
        assert_eq!(asked["timeout_ms"], limit);
        let late = respond(&mut host, &asked, json!("confirm")).await;
        assert_eq!(late, json!({"accepted": false, "reason": "timed_out"}));
        assert_eq!(events(&setup, HOST_ASKED, "method"), [format!("FAILURE {ASKS}")]);
    }
}

#[tokio::test]
async fn a_callback_ends_with_its_call() {
    for is_cancelled in [true, false] {
        let server = silent();
        let (_setup, mut host, own, call) = calling(&server).await;
        server.say(question("a", &own));
        let asked = callback(&mut host).await;
        if is_cancelled {
            let params = json!({"requestId": call});
            host.say(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})).await;
        } else {
            server.say(text(&server.read_of("tools/call")[0], "done"));
            host.answer_to(call).await;
        }
        assert_eq!(refusal(&server, "a", 1).await, "the call of this question has ended");
        let late = respond(&mut host, &asked, json!("confirm")).await;
        assert_eq!(late, json!({"accepted": false, "reason": "cancelled"}));
    }
}

#[tokio::test]
async fn a_server_has_at_most_32_open_callbacks_with_a_call() {
    let server = silent();
    let (_setup, mut host, own, _) = calling(&server).await;
    for number in 0..32 {
        server.say(question(&format!("a{number}"), &own));
        callback(&mut host).await;
    }
    server.say(question("b", &own));
    let told = refusal(&server, "b", 1).await;
    assert_eq!(told, "too many callbacks at once: at most 32 of a server wait for hosts");
    assert_eq!(respond(&mut host, &json!({"callback_id": "cb-7"}), json!("confirm")).await["accepted"], true);
    response(&server, "a6", 1).await;
    for number in 0..40 {
        let id = format!("c{number}");
        server.say(question(&id, &json!(4711)));
        refusal(&server, &id, 1).await;
    }
    server.say(question("d", &own));
    assert_eq!(callback(&mut host).await["callback_id"], "cb-33");
}

#[tokio::test]
async fn a_flood_of_callbacks_is_bounded_and_logged_once_a_second() {
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
    assert_eq!(floods().await, 64);
    let first = said();
    assert!(first.len() == 1 && first[0].contains("left_out=0"), "{first:?}");
    assert!(first[0].contains("cb-0") && first[0].contains("confirmation"), "{first:?}");
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(floods().await, 64);
    let second = said();
    assert!(second.len() == 1 && second[0].contains("left_out=99"), "{second:?}");
    // An answer that is not taken has its time, and leaves its place to others.
    tokio::time::sleep(Duration::from_secs(10)).await;
    assert_eq!(floods().await, 128);
}
