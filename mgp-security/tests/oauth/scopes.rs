//! Tests of scopes: the requests that a token allows.

use crate::{
    rig::{HttpAnswer, Rig, by_keys},
    signer::Signer,
};
use http::Method;
use serde_json::{Value, json};

async fn rig(signer: &Signer) -> Rig {
    let rig = Rig::new(|b, a| {
        by_keys(b, a)
            .required_scopes(["mcp"])
            .method_scopes("resources/read", ["read"])
            .tool_scopes("wipe", ["write"])
    })
    .await;
    rig.authority.publish(&[signer]);
    rig
}

#[track_caller]
fn is_forbidden(answer: &HttpAnswer, scopes: &str) {
    assert_eq!(answer.status(), 403, "{answer:?}");
    let challenge = answer.header("www-authenticate");
    assert!(challenge.contains(r#"error="insufficient_scope""#), "{challenge}");
    assert!(challenge.contains(&format!(r#"scope="{scopes}""#)), "{challenge}");
    assert!(challenge.contains("resource_metadata="), "{challenge}");
}

#[tokio::test]
async fn a_token_without_the_scopes_of_every_request_opens_nothing() {
    let signer = Signer::new("k");
    let rig = rig(&signer).await;
    for instead in [json!({ "scope": "other mcp2" }), json!({ "scope": null }), json!({ "scope": "" })] {
        let token = signer.token(&rig.claims(&instead));
        is_forbidden(&rig.open(&token).await, "mcp");
        let bearer = format!("Bearer {token}");
        for method in [Method::GET, Method::DELETE] {
            is_forbidden(&rig.send(method, "/mcp", &[("authorization", &bearer)], "").await, "mcp");
        }
    }
    let listed = json!({ "scope": null, "scp": ["x", "mcp"] });
    assert_eq!(rig.open(&signer.token(&rig.claims(&listed))).await.status(), 200);
}

#[tokio::test]
async fn a_client_steps_up_on_the_same_session() {
    let signer = Signer::new("k");
    let rig = rig(&signer).await;
    let token = |scope: &str| signer.token(&rig.claims(&json!({ "scope": scope })));
    let (small, large) = (token("mcp foreign"), token("mcp write"));
    let opened = rig.open(&small).await;
    let session = opened.header("mcp-session-id");
    let ask = async |token: &str, method: &str, params: Value| rig.ask(token, session, method, &params).await;

    assert_eq!(ask(&small, "tools/call", json!({ "name": "look" })).await.status(), 200);
    is_forbidden(&ask(&small, "tools/call", json!({ "name": "wipe" })).await, "mcp write");
    is_forbidden(&ask(&small, "resources/read", json!({})).await, "mcp read");
    assert_eq!(ask(&large, "tools/call", json!({ "name": "wipe" })).await.status(), 200);
    // Scopes that the token already has are requested again, so that the client does not lose them.
    is_forbidden(&ask(&large, "resources/read", json!({})).await, "mcp read write");
}
