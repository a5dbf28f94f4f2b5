//! The scopes that are asked for, and how often.

use super::rig::{World, agent, call, url};
use mgp_client_sdk::auth::OAuth;
use serde_json::json;
use std::sync::Arc;

fn oauth(world: &World) -> Arc<OAuth> {
    OAuth::builder(&world.mcp).user_agent(agent()).build().unwrap()
}

/// Returns the scopes of each authorization.
fn scopes(world: &World) -> Vec<String> {
    let scope = |line: &String| {
        let request = url(line.split(' ').nth(1).unwrap());
        let scope =
            request.query_pairs().find(|(key, _)| key == "scope").map(|(_, value)| value.into_owned());
        scope.unwrap_or("-".to_owned())
    };
    world.asked(&format!("GET {}/authorize", world.auth)).iter().map(scope).collect()
}

#[tokio::test]
async fn challenge_scopes_precede_those_of_the_resource() {
    for (challenge, listed, expected) in [
        (Some("c1 c2"), Some(vec!["r1", "r2"]), "c1 c2"),
        (None, Some(vec!["r1", "r2"]), "r1 r2"),
        (None, None, "-"),
    ] {
        let world = World::with(|rules| {
            rules.challenge = challenge;
            rules.resource_scopes = listed;
        })
        .await;
        call(&world.mcp, &oauth(&world), "a").await.unwrap();
        assert_eq!(scopes(&world), [expected]);
    }
}

#[tokio::test]
async fn a_call_that_needs_more_scopes_keeps_the_granted_ones() {
    let world = World::with(|rules| {
        rules.challenge = Some("read");
        rules.needs = [("b", "write"), ("c", "admin")].into();
    })
    .await;
    let oauth = oauth(&world);
    for method in ["a", "b", "c", "a"] {
        call(&world.mcp, &oauth, method).await.unwrap();
    }
    assert_eq!(scopes(&world), ["read", "read write", "read write admin"]);
}

#[tokio::test]
async fn a_scope_that_is_not_granted_is_requested_once() {
    let world = World::with(|rules| {
        rules.challenge = Some("read");
        rules.needs = [("b", "admin")].into();
        rules.gives = Some(vec!["read"]);
    })
    .await;
    let oauth = oauth(&world);
    for _ in 0..3 {
        let error = call(&world.mcp, &oauth, "b").await.unwrap_err();
        assert!(error.contains("HTTP 403"), "{error}");
    }
    assert_eq!(scopes(&world), ["read", "read admin"]);
}

#[tokio::test]
async fn offline_access_is_requested_only_if_the_issuer_lists_it() {
    for (lists, expected) in
        [(json!(["read", "offline_access"]), "read offline_access"), (json!(null), "read")]
    {
        let world = World::with(|rules| {
            rules.challenge = Some("read offline_access");
            rules.metadata.insert("scopes_supported", lists);
        })
        .await;
        call(&world.mcp, &oauth(&world), "a").await.unwrap();
        assert_eq!(scopes(&world), [expected]);
    }
}
