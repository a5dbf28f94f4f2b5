//! Tests of fetched keys: fetched again when they change, rarely, and not at all from an issuer that is down.

use crate::{
    authority::{Answer, Authority},
    rig::{Rig, by_keys},
    signer::Signer,
};
use mgp_security::identity::oauth::{KeyTimes, ResourceServerBuilder};
use serde_json::json;
use std::time::Duration;
use xtask_testing::until_some;

/// Builds a resource server whose keys may be fetched at every request.
fn eager(times: KeyTimes) -> impl FnOnce(ResourceServerBuilder, &Authority) -> ResourceServerBuilder {
    move |builder, authority| {
        by_keys(builder, authority).key_times(KeyTimes { interval: Duration::ZERO, ..times })
    }
}

#[tokio::test]
async fn a_new_key_is_found_and_a_removed_one_no_longer_counts() {
    let (old, new) = (Signer::new("old"), Signer::new("new"));
    let rig = Rig::new(eager(KeyTimes::default())).await;
    rig.authority.publish(&[&old]);
    let claims = rig.claims(&json!({}));
    assert_eq!(rig.open(&old.token(&claims)).await.status(), 200);
    rig.open(&new.token(&claims)).await.is_no_token("(kid)");
    rig.authority.publish(&[&new]);
    assert_eq!(rig.open(&new.token(&claims)).await.status(), 200);
    rig.open(&old.token(&claims)).await.is_no_token("(kid)");
}

#[tokio::test]
async fn concurrent_callers_share_a_fetch_and_unknown_keys_cause_none() {
    let signer = Signer::new("k");
    // For the time that all these requests take on a busy machine.
    let times = KeyTimes { interval: Duration::from_secs(3600), ..KeyTimes::default() };
    let rig = Rig::new(|builder, authority| by_keys(builder, authority).key_times(times)).await;
    rig.authority.publish(&[&signer]);
    let claims = rig.claims(&json!({}));
    let token = signer.token(&claims);
    let opened = futures_util::future::join_all((0..20).map(|_| rig.open(&token))).await;
    assert!(opened.iter().all(|opened| opened.status() == 200));
    for n in 0..20 {
        rig.open(&Signer::new(&format!("strange-{n}")).token(&claims)).await.is_no_token("(kid)");
    }
    assert_eq!(rig.authority.keys_asked(), 1);
}

#[tokio::test]
async fn an_issuer_timeout_is_not_the_token_s_fault() {
    let signer = Signer::new("k");
    let limit = KeyTimes { limit: Duration::from_secs(1), ..KeyTimes::default() };
    let rig = Rig::new(eager(limit)).await;
    let token = signer.token(&rig.claims(&json!({})));
    rig.authority.answer_keys(Answer::Silence);
    rig.open(&token).await.is_no_fault_of_the_token();
    // Keys that take a second on a busy machine come too late as well.
    rig.authority.publish(&[&signer]);
    until_some(async || (rig.open(&token).await.status() == 200).then_some(())).await;
}

#[tokio::test]
async fn an_issuer_without_reachable_keys_is_not_the_token_s_fault() {
    let signer = Signer::new("k");
    let rig = Rig::new(eager(KeyTimes::default())).await;
    let token = signer.token(&rig.claims(&json!({})));
    let elsewhere = Answer::Elsewhere(format!("{}/moved", rig.authority.issuer));
    let broken = Answer::Json(json!({ "keys": "none" }));
    for answer in [Answer::Nothing, Answer::Status(500), Answer::Flood, elsewhere, broken] {
        rig.authority.answer_keys(answer);
        rig.open(&token).await.is_no_fault_of_the_token();
    }
    rig.authority.publish(&[&signer]);
    assert_eq!(rig.open(&token).await.status(), 200);
    // The issuer is down again: known keys remain in use, and other keys cannot be judged.
    rig.authority.answer_keys(Answer::Status(500));
    rig.open(&Signer::new("new").token(&rig.claims(&json!({})))).await.is_no_fault_of_the_token();
    assert_eq!(rig.open(&token).await.status(), 200);
}
