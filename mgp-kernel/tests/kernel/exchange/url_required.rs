//! Servers that answer with -32042: their user must visit a URL first.

use crate::{
    features::eras::events,
    raw_host::{As, RawHost},
    raw_server::{RawServer, text},
    support::{Setup, start},
};
use mgp_discovery::config::HostFeature;
use mgp_kernel::{Era, SecretPolicy};
use serde_json::{Value, json};

const HOST_ASKED: &str = "dev.cloto.mgp.HOST_ASKED";

/// A server whose first call wants a URL visited.
fn server() -> RawServer {
    let visited = std::sync::atomic::AtomicBool::new(false);
    RawServer::new(Era::Initialize, json!({"tools": {}}), move |message| {
        (message["method"] == "tools/call").then(|| {
            if visited.swap(true, std::sync::atomic::Ordering::SeqCst) {
                return vec![text(message, "done")];
            }
            let asked = json!({"mode": "url", "message": "[mgp kernel] Log in", "url": "https://a.example/x",
                "elicitationId": "e", "_meta": {"mgp": {}}});
            let error = json!({"code": -32042, "message": "log in first", "data": {"elicitations": [asked]}});
            vec![json!({"jsonrpc": "2.0", "id": message["id"], "error": error})]
        })
    })
}

async fn ask(era: Era, features: &[HostFeature], can: Value) -> (Setup, RawServer, RawHost) {
    let server = server();
    let mut spec = server.spec("srv");
    spec.host_features = features.to_vec();
    let setup = start(|kernel, _| kernel.server(spec)).await;
    let host = setup.raw_host(As::plain(era).can(can)).await;
    (setup, server, host)
}

fn call() -> Value {
    json!({"name": "work", "arguments": {}})
}

#[tokio::test]
async fn a_host_with_initialize_gets_the_error_and_calls_again() {
    let (setup, server, mut host) =
        ask(Era::Initialize, &[HostFeature::Elicitation], json!({"elicitation": {"url": {}}})).await;
    let refused = host.refused("tools/call", call()).await;
    let expected = json!({"mode": "url", "message": "[srv] [mgp kernel] Log in", "url": "https://a.example/x",
        "elicitationId": "e"});
    let told = (&refused["code"], &refused["data"]["elicitations"]);
    assert_eq!(told, (&json!(-32042), &json!([expected])));
    assert_eq!(events(&setup, HOST_ASKED, "agent"), ["SUCCESS agent.test"]);
    assert_eq!(host.text("work", json!({})).await, "done");
    assert_eq!(server.read_of("tools/call").len(), 2);
}

/// A URL to log in at may hold what looks like a secret, and leads nowhere without it.
#[tokio::test]
async fn the_url_is_kept_under_masking_and_the_text_is_searched() {
    let token = format!("ghp{}", "_x7Qd2LwZ9rTb4NcV8sKf1JhG5mYp3AeU6oRi");
    let url = format!("https://a.example/{token}");
    let asked =
        json!({"mode": "url", "message": format!("Log in with {token}"), "url": url, "elicitationId": "e"});
    let server = RawServer::new(Era::Initialize, json!({"tools": {}}), move |message| {
        let error = json!({"code": -32042, "message": "log in", "data": {"elicitations": [asked]}});
        let answer = json!({"jsonrpc": "2.0", "id": message["id"], "error": error});
        (message["method"] == "tools/call").then(|| vec![answer])
    });
    let mut spec = server.spec("srv");
    (spec.host_features, spec.secrets) = (vec![HostFeature::Elicitation], SecretPolicy::Mask);
    let setup = start(|kernel, _| kernel.server(spec)).await;
    let mut host = setup.raw_host(As::plain(Era::Initialize).can(json!({"elicitation": {"url": {}}}))).await;
    let refused = host.refused("tools/call", call()).await;
    let asked = &refused["data"]["elicitations"][0];
    assert_eq!((&asked["url"], &asked["elicitationId"]), (&json!(url), &json!("e")), "{refused}");
    assert_eq!(asked["message"], "[srv] Log in with [secret: github-pat]");
}

#[tokio::test]
async fn a_stateless_host_s_call_is_repeated_only_if_the_user_agrees() {
    for (action, calls) in [("accept", 2), ("decline", 1)] {
        let (setup, server, mut host) =
            ask(Era::Stateless, &[HostFeature::Elicitation], json!({"elicitation": {"url": {}}})).await;
        host.says(move |_, _| Ok(json!({"action": action})));
        let answer = host.ask("tools/call", call()).await;
        assert_eq!(host.asked[0].1["message"], "[srv] [mgp kernel] Log in");
        assert_eq!(answer.get("result").is_some(), action == "accept", "{answer}");
        assert_eq!(server.read_of("tools/call").len(), calls);
        assert_eq!(events(&setup, HOST_ASKED, "agent"), ["SUCCESS agent.test"]);
    }
}

#[tokio::test]
async fn no_url_is_shown_if_the_server_may_not_ask_or_the_host_cannot() {
    for era in [Era::Initialize, Era::Stateless] {
        for (features, can) in [
            (&[][..], json!({"elicitation": {"url": {}}})),
            (&[HostFeature::Elicitation][..], json!({"elicitation": {"form": {}}})),
        ] {
            let (setup, _, mut host) = ask(era, features, can).await;
            let refused = host.refused("tools/call", call()).await;
            assert_ne!(refused["code"], -32042);
            assert!(!refused.to_string().contains("a.example"), "{era:?}: {refused}");
            assert_eq!(events(&setup, HOST_ASKED, "agent"), ["BLOCKED agent.test"]);
            assert_eq!(host.asked, []);
        }
    }
}
