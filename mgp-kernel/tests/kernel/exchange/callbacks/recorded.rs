//! The answer to a callback is recorded, for the callback and the host that it was for.

use super::support::{
    ASKS, HOST_ASKED, RESPOND, callback, caller, calling, question, refusal, respond, response, silent,
};
use crate::{
    features::eras::events,
    raw_server::text,
    support::{start, until},
};
use mgp_types::lifecycle::{RestartConfig, RestartPolicy, ServerState};
use serde_json::{Value, json};

#[tokio::test]
async fn a_repeated_callback_gets_the_recorded_answer() {
    let server = silent();
    let (setup, mut host, own, call) = calling(&server).await;
    let other = |message: &str| {
        let mut other = question("a", &own);
        other["params"]["message"] = message.into();
        other
    };
    server.say(question("a", &own));
    let asked = callback(&mut host).await;
    server.say(question("a", &own));
    server.say(other("Another?"));
    let problem =
        r#"invalid callback_id: expected an id that no other question of this connection has, found "a""#;
    assert_eq!(refusal(&server, "a", 1).await, problem);
    respond(&mut host, &asked, json!("confirm")).await;
    assert_eq!(response(&server, "a", 2).await, "confirm");
    host.settle().await;
    server.say(question("a", &own));
    assert_eq!(response(&server, "a", 3).await, "confirm");
    server.say(other("A third?"));
    assert_eq!(refusal(&server, "a", 4).await, problem);
    // Also after the end of the call.
    server.say(text(&server.read_of("tools/call")[0], "done"));
    host.answer_to(call).await;
    server.say(question("a", &own));
    assert_eq!(response(&server, "a", 5).await, "confirm");
    host.settle().await;
    assert_eq!((host.count(ASKS), server.read_of(RESPOND).len()), (0, 5));
    assert_eq!(events(&setup, HOST_ASKED, "method"), [format!("SUCCESS {ASKS}")]);
}

#[tokio::test]
async fn a_recorded_answer_is_not_used_for_another_host() {
    let server = silent();
    let (setup, mut one, _, call) = calling(&server).await;
    server.say(question("a", &Value::Null));
    let asked = callback(&mut one).await;
    respond(&mut one, &asked, json!("confirm")).await;
    assert_eq!(response(&server, "a", 1).await, "confirm");
    server.say(text(&server.read_of("tools/call")[0], "done"));
    one.answer_to(call).await;
    let (mut other, ..) = caller(&setup, &server, 2).await;
    server.say(question("a", &Value::Null));
    let told = refusal(&server, "a", 2).await;
    assert!(told.starts_with("invalid callback_id"), "{told}");
    other.settle().await;
    assert_eq!(other.count(ASKS), 0);
}

#[tokio::test]
async fn a_recorded_answer_ends_with_the_connection_to_its_server() {
    let server = silent();
    let mut spec = server.spec("srv");
    spec.restart = RestartConfig {
        restart_policy: RestartPolicy::Always,
        max_restarts: 5,
        restart_window_secs: 300,
        backoff_base_ms: 1,
        backoff_max_ms: 2,
    };
    let setup = start(|kernel, _| kernel.server(spec)).await;
    let mut ids = Vec::new();
    for connection in 1..=2 {
        let (mut host, own, _) = caller(&setup, &server, connection).await;
        server.say(question("a", &own));
        ids.push(own);
        let asked = callback(&mut host).await;
        let word = ["confirm", "decline"][connection - 1];
        respond(&mut host, &asked, json!(word)).await;
        assert_eq!(response(&server, "a", connection).await, word);
        server.hang_up();
        server.has_read("initialize", connection + 1).await;
        until(|| setup.kernel.servers()[0].status().state == ServerState::Connected).await;
    }
    assert_eq!(ids[0], ids[1], "the calls have the same id, each on its own connection");
}
