//! Tests of tokens that the authorization server itself confirms.

use crate::{
    authority::{Answer, Authority},
    rig::{Rig, by_keys, now},
    signer::Signer,
};
use mgp_security::identity::oauth::{Introspection, ResourceServerBuilder};
use serde_json::{Value, json};
use std::time::Duration;
use xtask_testing::until_some;

fn asked(authority: &Authority) -> Introspection {
    let url = format!("{}/introspect", authority.issuer);
    Introspection::new(&authority.issuer, &url, "mgp", "s3:cret")
}

fn by_asking(builder: ResourceServerBuilder, authority: &Authority) -> ResourceServerBuilder {
    // For the time that all requests of a test take on a busy machine.
    builder.introspection(asked(authority).remember(Duration::from_secs(3600)))
}

/// Returns the server's answer about an active token, with the claims in `instead` changed.
fn active(rig: &Rig, instead: &Value) -> Answer {
    let mut said = rig.claims(instead);
    said["active"] = true.into();
    Answer::Json(said)
}

#[tokio::test]
async fn an_active_token_is_accepted_and_introspected_once() {
    let rig = Rig::new(by_asking).await;
    rig.authority.answer_token("good", active(&rig, &json!({})));
    for _ in 0..3 {
        assert_eq!(rig.whoami("good").await, ("alice".to_owned(), false));
    }
    assert_eq!(rig.authority.tokens_asked(), 1);
    // "mgp:s3%3Acret"
    assert_eq!(*rig.authority.shared.asker.lock(), "Basic bWdwOnMzJTNBY3JldA==");
    for _ in 0..3 {
        rig.open("other").await.is_no_token("not active");
    }
    assert_eq!(rig.authority.tokens_asked(), 2);
}

#[tokio::test]
async fn an_introspection_must_be_for_us_and_current() {
    let rig = Rig::new(by_asking).await;
    let may_be_left_out = json!({ "exp": null, "iss": null, "iat": null });
    rig.authority.answer_token("short", active(&rig, &may_be_left_out));
    assert_eq!(rig.open("short").await.status(), 200);
    for (at, (instead, reason)) in [
        (json!({ "aud": "https://other.example" }), "(aud)"),
        (json!({ "aud": null }), "(aud)"),
        (json!({ "iss": "https://other.example" }), "(iss)"),
        (json!({ "exp": now() - 100 }), "(exp)"),
        (json!({ "nbf": now() + 100 }), "(nbf, iat)"),
    ]
    .into_iter()
    .enumerate()
    {
        let token = format!("token-{at}");
        rig.authority.answer_token(&token, active(&rig, &instead));
        rig.open(&token).await.is_no_token(reason);
    }
}

#[tokio::test]
async fn an_unreachable_server_is_not_the_token_s_fault() {
    let rig = Rig::new(by_asking).await;
    let unclear = Answer::Json(json!({ "active": "true" }));
    let elsewhere = Answer::Elsewhere(format!("{}/moved", rig.authority.issuer));
    for answer in [Answer::Status(500), Answer::Status(401), Answer::Flood, elsewhere, unclear] {
        rig.authority.answer_token("good", answer);
        rig.open("good").await.is_no_fault_of_the_token();
    }
    // None of that is remembered.
    rig.authority.answer_token("good", active(&rig, &json!({})));
    assert_eq!(rig.open("good").await.status(), 200);
}

#[tokio::test]
async fn a_server_timeout_is_not_the_token_s_fault() {
    let rig = Rig::new(|b, a| b.introspection(asked(a).timeout(Duration::from_secs(1)))).await;
    rig.authority.answer_token("good", Answer::Silence);
    rig.open("good").await.is_no_fault_of_the_token();
    // That is not remembered. An answer that takes a second on a busy machine comes too late as well.
    rig.authority.answer_token("good", active(&rig, &json!({})));
    until_some(async || (rig.open("good").await.status() == 200).then_some(())).await;
}

#[tokio::test]
async fn a_revoked_token_outlives_no_cached_answer() {
    let rig = Rig::new(|b, a| b.introspection(asked(a).remember(Duration::ZERO))).await;
    rig.authority.answer_token("good", active(&rig, &json!({})));
    assert_eq!(rig.open("good").await.status(), 200);
    rig.authority.answer_token("good", Answer::Json(json!({ "active": false })));
    rig.open("good").await.is_no_token("not active");
}

#[tokio::test]
async fn a_forged_token_of_a_signing_issuer_is_not_introspected() {
    let signer = Signer::new("k");
    let rig = Rig::new(|b, a| by_asking(by_keys(b, a), a)).await;
    rig.authority.publish(&[&signer]);
    let claims = rig.claims(&json!({}));
    assert_eq!(rig.open(&signer.token(&claims)).await.status(), 200);
    rig.open(&Signer::new("k").token(&claims)).await.is_no_token("signature is wrong");
    assert_eq!(rig.authority.tokens_asked(), 0);
    rig.authority.answer_token("opaque", active(&rig, &json!({})));
    assert_eq!(rig.open("opaque").await.status(), 200);
}

#[tokio::test]
async fn the_metadata_names_the_introspecting_server() {
    let rig = Rig::new(by_asking).await;
    let document = rig.send(http::Method::GET, "/.well-known/oauth-protected-resource", &[], "").await;
    assert_eq!(document.json()["authorization_servers"], json!([rig.authority.issuer]));
}
