//! Callbacks that no host is asked by: their servers are told why.

use super::support::{
    ASKS, HOST_ASKED, RESPOND, asks, calling, capabilities, offered, question, refusal, setup, silent, worked,
};
use crate::{
    features::eras::events,
    features::registration::support as registration,
    raw_host::{As, all},
    raw_server::{RawServer, result, says, text},
    support::{server_rule, start},
};
use mgp_discovery::config::HostFeature;
use mgp_kernel::Era;
use mgp_toolindex::exposure::Exposure;
use serde_json::{Value, json};

#[tokio::test]
async fn a_callback_that_cannot_or_may_not_be_asked_is_refused() {
    for (features, can, problem, recorded) in [
        (&HostFeature::ALL[..], json!({"roots": {}}), "answers no callbacks and shows no forms", "BLOCKED"),
        (&[HostFeature::Elicitation], all(), "host_features hold no \\\"callback\\\"", "BLOCKED"),
    ] {
        let server = asks("confirmation", Value::Null);
        let setup = setup(&server, features).await;
        let mut host = setup.raw_host(As::plain(Era::Initialize).can(can)).await;
        let told = worked(&mut host).await;
        assert!(told.contains(r#""error""#) && told.contains(problem), "{told}");
        assert_eq!(host.asked, []);
        assert_eq!(events(&setup, HOST_ASKED, "method"), [format!("{recorded} {ASKS}")]);
    }
    // A text without an answer is not passed on either.
    let server = asks("notification", Value::Null);
    let setup = setup(&server, &[HostFeature::Elicitation]).await;
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    assert_eq!(worked(&mut host).await, "done");
    assert_eq!(host.heard, [] as [Value; 0]);
}

#[tokio::test]
async fn a_plain_server_and_a_stateless_one_have_no_callbacks() {
    let plain = RawServer::new(Era::Initialize, json!({"tools": {}}), |message| {
        let call = message["method"] == "tools/call";
        call.then(|| vec![question("own-1", &message["id"]), text(message, "done")])
    });
    let kernel = setup(&plain, &HostFeature::ALL).await;
    let mut host = kernel.raw_host(As::mgp(Era::Initialize)).await;
    assert_eq!(worked(&mut host).await, "done");
    host.settle().await;
    assert_eq!((host.count(ASKS), plain.read_of(RESPOND)), (0, vec![]));

    let mgp = json!({"extensions": {"dev.cloto/mgp": capabilities()["mgp"]}, "tools": {}});
    let stateless = RawServer::new(Era::Stateless, mgp, |message| match message["method"].as_str() {
        Some("tools/call") => Some(vec![question("own-1", &message["id"]), text(message, "done")]),
        Some(RESPOND) => Some(vec![result(message, json!({"accepted": true}))]),
        _ => None,
    });
    let kernel = setup(&stateless, &HostFeature::ALL).await;
    let mut host = kernel.raw_host(As::mgp(Era::Initialize)).await;
    worked(&mut host).await;
    let told = refusal(&stateless, "own-1", 1).await;
    assert!(told.contains("need a session") && told.contains("input_required"), "{told}");
    assert_eq!(host.count(ASKS), 0);
}

#[tokio::test]
async fn a_callback_without_its_call_is_refused_with_the_reason() {
    let server = silent();
    let setup = setup(&server, &HostFeature::ALL).await;
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    server.say(question("a", &Value::Null));
    let told = refusal(&server, "a", 1).await;
    assert!(told.contains("no call is in flight"), "{told}");
    let call = host.send("tools/call", json!({"name": "work", "arguments": {}})).await;
    server.has_read("tools/call", 1).await;
    for (id, request_id) in [("b", json!(4711)), ("c", json!("seven"))] {
        server.say(question(id, &request_id));
        let told = refusal(&server, id, 1).await;
        assert_eq!(
            told,
            format!("invalid request_id: expected the id of a request in flight, found {request_id}")
        );
    }
    // The kernel knows the call, and asks nobody for one that is over.
    let own = server.read_of("tools/call")[0].clone();
    server.say(text(&own, "done"));
    host.answer_to(call).await;
    server.say(question("d", &own["id"]));
    refusal(&server, "d", 1).await;
    let mut long = question("e", &Value::Null);
    long["params"]["message"] = "x".repeat(65_536).into();
    server.say(long);
    let told = refusal(&server, "e", 1).await;
    assert!(told.contains("at most 65536 bytes"), "{told}");
    server.say(says(None, ASKS, json!({"callback_id": "f", "type": "riddle", "message": "?"})));
    let told = refusal(&server, "f", 1).await;
    assert!(told.contains("type"), "{told}");
    assert_eq!(host.count(ASKS), 0);
}

#[tokio::test]
async fn a_registered_server_cannot_ask() {
    let server = asks("confirmation", Value::Null);
    let reached = server.clone();
    let setup = start(|kernel, _| {
        let kernel = kernel.config(|config| {
            config.access.registrars = [registration::BUILDER].map(String::from).into();
            config.kernel.exposure = Exposure::Full;
        });
        kernel.reach_registered(move |_| Ok(reached.spec("x").endpoint))
    })
    .await;
    let mut host = registration::builder(&setup).await;
    registration::register(&mut host, "made").await;
    setup.knows(&["made"]).await;
    setup.kernel.access().put(server_rule(registration::BUILDER, "made")).await.unwrap();
    let hello = server.has_read("initialize", 1).await.remove(0);
    assert!(!offered(&hello["params"]["capabilities"]).contains(&"callbacks"), "{hello}");
    let told = worked(&mut host).await;
    assert!(told.contains("not allowed") && host.count(ASKS) == 0, "{told}");
}

#[tokio::test]
async fn callbacks_are_offered_to_hosts_and_to_servers_that_may_ask() {
    for (features, offers) in [(&HostFeature::ALL[..], true), (&[HostFeature::Elicitation][..], false)] {
        let server = silent();
        let setup = setup(&server, features).await;
        let hello = server.has_read("initialize", 1).await.remove(0);
        assert_eq!(offered(&hello["params"]["capabilities"]).contains(&"callbacks"), offers);
        let host = setup.raw_host(As::mgp(Era::Initialize)).await;
        assert!(offered(&host.greeting["result"]["capabilities"]).contains(&"callbacks"));
    }
}

#[tokio::test]
async fn an_unanswerable_request_of_a_server_is_an_unknown_method() {
    let server = silent();
    let (_setup, _host, ..) = calling(&server).await;
    for (id, method) in [(90, "mgp/callback/respond"), (91, "mgp/events/subscribe")] {
        server.say(says(Some(id), method, json!({"callback_id": "cb", "response": 1})));
        let answer = server.reads(|message| message["id"] == id && message.get("method").is_none(), 1).await;
        assert_eq!(answer[0]["error"]["code"], -32601, "{}", answer[0]);
    }
}
