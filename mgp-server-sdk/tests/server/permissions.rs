//! §3.5, §3.6 What a client tells of permissions, and what handlers see of it.

use crate::support::Client;
use mgp_server_sdk::{Server, Tool, permission::Grants};
use mgp_types::permission::{Permission, StandardPermission::NetworkOutbound};
use serde_json::{Value, json};

async fn report(grants: Grants) -> String {
    let custom: Permission = "com.example.print".parse().unwrap();
    let scope = grants.scope(NetworkOutbound).map(|scope| scope.as_str().to_owned());
    format!(
        "{:?} {} {:?} {scope:?}",
        grants.state(NetworkOutbound),
        grants.has(NetworkOutbound),
        grants.state(custom)
    )
}

async fn client() -> Client {
    Client::mgp(Server::new("s", "1").tool(Tool::new("report", "", report))).await
}

async fn reported(client: &Client) -> String {
    let result = client.request("tools/call", json!({"name": "report"})).await.unwrap();
    result["content"][0]["text"].as_str().unwrap().to_owned()
}

fn decision(value: &str, expires_at: &Value) -> Value {
    json!({"request_id": "p-1", "grants": {"network.outbound": value}, "expires_at": expires_at,
        "scope": {"network.outbound": {"hosts": ["a.example"]}}})
}

#[tokio::test]
async fn a_handler_receives_decisions_under_all_four_names() {
    for (request, respond) in [
        ("mgp/permission/request", "mgp/permission/response"),
        ("mgp/permission/await", "mgp/permission/grant"),
    ] {
        let client = client().await;
        assert_eq!(reported(&client).await, "None false None None");
        let waiting =
            json!({"request_id": "p-1", "permissions": ["network.outbound"], "policy": "interactive"});
        let acknowledged = client.request(request, waiting.clone()).await.unwrap();
        assert_eq!(acknowledged, json!({"request_id": "p-1", "acknowledged": true}));
        assert_eq!(reported(&client).await, "Some(Deferred) false None None");
        client.request(respond, decision("approved", &Value::Null)).await.unwrap();
        let approved = r#"Some(Approved) true None Some("{\"hosts\":[\"a.example\"]}")"#;
        assert_eq!(reported(&client).await, approved);
        // A later question takes nothing away.
        client.request(request, waiting).await.unwrap();
        assert_eq!(reported(&client).await, approved);
        client.request(respond, decision("denied", &Value::Null)).await.unwrap();
        assert!(reported(&client).await.starts_with("Some(Denied) false"));
    }
}

#[tokio::test]
async fn an_approval_ends_at_its_time() {
    let client = client().await;
    let respond = async |time: &str| {
        client.request("mgp/permission/response", decision("approved", &time.into())).await.unwrap();
        reported(&client).await
    };
    assert!(respond("2020-01-01T00:00:00Z").await.starts_with("Some(Expired) false"));
    assert!(respond("2999-01-01T00:00:00Z").await.starts_with("Some(Approved) true"));
}

#[tokio::test]
async fn a_session_s_decisions_apply_to_no_other() {
    let stack = Server::new("s", "1").tool(Tool::new("report", "", report)).build().unwrap();
    let (one, other) = (Client::of(&stack, true).await, Client::of(&stack, true).await);
    one.request("mgp/permission/response", decision("approved", &Value::Null)).await.unwrap();
    assert!(reported(&one).await.starts_with("Some(Approved)"));
    assert!(reported(&other).await.starts_with("None"));
}

#[tokio::test]
async fn an_invalid_decision_is_refused_by_name_and_changes_nothing() {
    let client = client().await;
    let many: Vec<_> = (0..300).map(|at| format!("com.example.p{at}")).collect();
    for (method, params, expected) in [
        (
            "mgp/permission/request",
            json!({"request_id": "p", "permissions": ["network.outbound", "shell.exec"], "policy": "interactive"}),
            "invalid permissions: unknown permission \"shell.exec\"",
        ),
        (
            "mgp/permission/request",
            json!({"request_id": "p", "permissions": many, "policy": "interactive"}),
            "invalid permissions: 300 more permissions: expected at most 256 in one session",
        ),
        (
            "mgp/permission/response",
            json!({"request_id": "p", "grants": {"network.outbound": "approved", "x": "approved"}}),
            "invalid grants: unknown permission \"x\"",
        ),
        (
            "mgp/permission/response",
            decision("approved", &json!("tomorrow")),
            "invalid expires_at \"tomorrow\": expected an RFC 3339 time",
        ),
        ("mgp/permission/response", decision("perhaps", &Value::Null), "perhaps"),
    ] {
        let refused = client.request(method, params).await.unwrap_err();
        assert_eq!(refused.code, -32602, "{refused:?}");
        assert!(refused.message.contains(expected), "{refused:?}");
    }
    assert_eq!(reported(&client).await, "None false None None");
}

#[tokio::test]
async fn a_decision_may_be_an_object_with_its_own_end() {
    let client = client().await;
    let respond = async |grant: Value, expires_at: &str| {
        let decision =
            json!({"request_id": "p-1", "grants": {"network.outbound": grant}, "expires_at": expires_at});
        client.request("mgp/permission/grant", decision).await
    };
    let (past, future) = ("2020-01-01T00:00:00Z", "2999-01-01T00:00:00Z");
    respond(json!({"granted": true, "scope": {"hosts": ["a"]}}), future).await.unwrap();
    assert_eq!(reported(&client).await, r#"Some(Approved) true None Some("{\"hosts\":[\"a\"]}")"#);
    // Its own time counts, in both directions.
    respond(json!({"decision": "approved", "expires_at": past}), future).await.unwrap();
    assert!(reported(&client).await.starts_with("Some(Expired) false"));
    respond(json!({"decision": "approved", "expires_at": future}), past).await.unwrap();
    assert!(reported(&client).await.starts_with("Some(Approved) true"));
    for malformed in [json!({"granted": "no"}), json!({}), json!({"granted": true, "expires_at": "soon"})] {
        respond(malformed, future).await.unwrap_err();
        assert!(reported(&client).await.starts_with("Some(Approved) true"));
    }
}
