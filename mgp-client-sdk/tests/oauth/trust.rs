//! The checks on the sources of messages, and on the receivers of tokens.

use super::rig::{World, agent, authorization, call, url};
use http::{HeaderMap, HeaderValue, StatusCode, header::WWW_AUTHENTICATE};
use mgp_client_sdk::auth::OAuth;
use mgp_transport::http::client::{Authorize, Challenge};
use serde_json::json;
use std::sync::Arc;

fn oauth(world: &World) -> Arc<OAuth> {
    OAuth::builder(&world.mcp).user_agent(agent()).build().unwrap()
}

#[tokio::test]
async fn a_redirect_of_another_issuer_is_refused() {
    let check = async |announced: bool, iss: Option<&'static str>, right: bool| {
        let world = World::with(|rules| {
            rules.iss = iss;
            rules
                .metadata
                .insert("authorization_response_iss_parameter_supported", announced.then_some(true).into());
        })
        .await;
        let answer = call(&world.mcp, &oauth(&world), "a").await;
        assert_eq!(answer.is_ok(), right, "{announced} {iss:?}: {answer:?}");
        let tokens = world.asked(&format!("POST {}/token", world.auth));
        assert_eq!(tokens.len(), usize::from(right), "{announced} {iss:?}");
        if let Err(error) = answer {
            assert!(error.contains("expected iss") && error.contains(&world.auth), "{error}");
        }
    };
    for announced in [true, false] {
        check(announced, None, true).await;
        check(announced, Some("https://evil.example"), false).await;
    }
    check(true, Some(""), false).await;
    check(false, Some(""), true).await;
}

#[tokio::test]
async fn a_user_who_declines_is_not_asked_again_at_once() {
    let world = World::with(|rules| rules.denies = true).await;
    let oauth = oauth(&world);
    for _ in 0..3 {
        let error = call(&world.mcp, &oauth, "a").await.unwrap_err();
        assert!(error.contains("access_denied"), "{error}");
    }
    assert_eq!(world.asked(&format!("GET {}/authorize", world.auth)).len(), 1);
}

#[tokio::test]
async fn a_server_that_refuses_every_token_is_not_retried_for_ever() {
    let world = World::with(|rules| rules.refuses_all = true).await;
    let error = call(&world.mcp, &oauth(&world), "a").await.unwrap_err();
    assert!(error.contains("HTTP 401"), "{error}");
    assert_eq!(world.asked(&format!("GET {}/authorize", world.auth)).len(), 1);
}

#[tokio::test]
async fn tokens_go_only_to_their_own_server_and_are_never_shown() {
    let world = World::with(|rules| rules.refresh_tokens = true).await;
    let oauth = oauth(&world);
    call(&world.mcp, &oauth, "a").await.unwrap();
    let header = authorization(&oauth, &url(&world.mcp)).await.unwrap();
    assert!(header.to_str().unwrap().starts_with("Bearer hush-access-") && header.is_sensitive());
    for other in [world.auth.as_str(), "https://127.0.0.1/mcp", "http://localhost/mcp"] {
        assert_eq!(authorization(&oauth, &url(other)).await, None, "{other}");
        let elsewhere = Challenge::new(StatusCode::UNAUTHORIZED, url(other), &HeaderMap::new());
        assert!(!oauth.challenged(elsewhere).await.unwrap());
    }
    let shown = format!("{oauth:?} {header:?}");
    assert!(!shown.contains("hush") && shown.contains(&world.mcp), "{shown}");
}

#[tokio::test]
async fn a_public_server_cannot_redirect_into_a_private_network() {
    let world = World::new().await;
    let public = |private: bool| {
        let builder = OAuth::builder("https://1.1.1.1/mcp").user_agent(agent());
        if private { builder.allow_private_addresses() } else { builder }.build().unwrap()
    };
    let challenge = |named: &str| {
        let mut headers = HeaderMap::new();
        let value = HeaderValue::try_from(format!("Bearer resource_metadata=\"{named}\"")).unwrap();
        headers.insert(WWW_AUTHENTICATE, value);
        let mut challenge = Challenge::new(StatusCode::UNAUTHORIZED, url("https://1.1.1.1/mcp"), &headers);
        challenge.remote = Some("1.1.1.1:443".parse().unwrap());
        challenge
    };
    let named = format!("{}/.well-known/oauth-authorization-server", world.auth);
    let targets = [named.as_str(), "https://169.254.169.254/latest", "https://10.0.0.1/x", "https://[::1]/x"];
    for target in targets {
        let error = public(false).challenged(challenge(target)).await.unwrap_err().to_string();
        assert!(error.contains("an address that is not public"), "{target}: {error}");
    }
    assert_eq!(world.state.lock().log, [] as [String; 0]);
    // A setting allows private addresses; the metadata is then refused for another reason.
    let error = public(true).challenged(challenge(&named)).await.unwrap_err().to_string();
    assert!(error.contains("cannot use the protected resource metadata"), "{error}");
    assert_eq!(world.state.lock().log.len(), 1);
}

#[tokio::test]
async fn a_document_that_is_too_long_is_not_read() {
    let world = World::with(|rules| {
        rules.metadata.insert("service_documentation", json!("x".repeat(300 * 1024)));
    })
    .await;
    let error = call(&world.mcp, &oauth(&world), "a").await.unwrap_err();
    assert!(error.contains("longer than 262144 bytes"), "{error}");
}

#[tokio::test]
async fn a_server_s_url_is_shown_without_its_query() {
    let other = "http://127.0.0.1:1/mcp";
    let world = World::with(|rules| rules.resource = Some(other.to_owned())).await;
    let server = format!("{}?api_key=hush", world.mcp);
    let oauth = OAuth::builder(&server).user_agent(agent()).build().unwrap();
    let error = call(&server, &oauth, "a").await.unwrap_err();
    assert!(error.contains(other) && error.contains(&world.mcp) && !error.contains("hush"), "{error}");
}
