//! The discovery of a server's authorization server.

use super::rig::{World, agent, call, url};
use http::{HeaderMap, StatusCode, header::WWW_AUTHENTICATE};
use mgp_client_sdk::auth::OAuth;
use mgp_transport::http::client::{Authorize, Challenge};
use serde_json::json;

async fn error_of(world: &World) -> String {
    let oauth = OAuth::builder(&world.mcp).user_agent(agent()).build().unwrap();
    call(&world.mcp, &oauth, "a").await.unwrap_err()
}

#[tokio::test]
async fn metadata_of_another_resource_is_refused_before_anybody_is_asked() {
    let world = World::with(|rules| rules.resource = Some("https://evil.example/mcp".to_owned())).await;
    let error = error_of(&world).await;
    assert!(
        error.starts_with("1002") && error.contains("evil.example") && error.contains(&world.mcp),
        "{error}"
    );
    assert_eq!(world.state.lock().log, [] as [String; 0]);
}

#[tokio::test]
async fn metadata_of_another_issuer_is_refused_before_anybody_is_asked() {
    let world = World::new().await;
    for issuer in ["https://evil.example".to_owned(), format!("{}/", world.auth)] {
        world.change(|rules| drop(rules.metadata.insert("issuer", issuer.clone().into())));
        let error = error_of(&world).await;
        assert!(
            error.contains(&format!("is of the issuer {issuer:?}, expected {:?}", world.auth)),
            "{error}"
        );
    }
    assert!(
        world.asked("POST").is_empty() && world.asked(&format!("GET {}/authorize", world.auth)).is_empty()
    );
}

#[tokio::test]
async fn a_server_without_pkce_is_refused_before_anybody_is_asked() {
    for methods in [json!(null), json!(["plain"])] {
        let world =
            World::with(|rules| drop(rules.metadata.insert("code_challenge_methods_supported", methods)))
                .await;
        let error = error_of(&world).await;
        assert!(error.contains("PKCE with S256"), "{error}");
        assert!(world.asked("POST").is_empty());
    }
}

#[tokio::test]
async fn an_endpoint_that_would_be_spoken_to_in_the_clear_is_refused() {
    for name in ["authorization_endpoint", "token_endpoint", "registration_endpoint"] {
        for endpoint in ["http://example.com/x", "javascript:alert(1)", "file:///etc/passwd", "x"] {
            let world = World::with(|rules| drop(rules.metadata.insert(name, endpoint.into()))).await;
            let error = error_of(&world).await;
            assert!(error.contains(name), "{name} {endpoint}: {error}");
            assert!(world.asked("POST").is_empty());
        }
    }
}

#[tokio::test]
async fn a_server_of_2025_03_26_is_its_own_authorization_server() {
    let world = World::with(|rules| rules.old_server = true).await;
    let own = world.mcp.strip_suffix("/mcp").unwrap().to_owned();
    let oauth = OAuth::builder(&world.mcp).user_agent(agent()).build().unwrap();
    call(&world.mcp, &oauth, "a").await.unwrap();
    assert_eq!(world.asked(&format!("POST {own}/token")).len(), 1);
    assert!(world.asked("GET").iter().all(|line| !line.contains("resource=")));
    let strict = OAuth::builder(&world.mcp).user_agent(agent()).without_old_servers().build().unwrap();
    let error = call(&world.mcp, &strict, "a").await.unwrap_err();
    assert!(error.contains("publishes no metadata"), "{error}");
}

#[tokio::test]
async fn metadata_that_was_named_and_is_not_there_does_not_choose_an_older_way() {
    let world = World::new().await;
    let server = World::with(|rules| rules.old_server = true).await;
    let mut headers = HeaderMap::new();
    let named = format!("Bearer resource_metadata=\"{}/none\"", world.auth);
    headers.insert(WWW_AUTHENTICATE, named.parse().unwrap());
    let challenge = Challenge::new(StatusCode::UNAUTHORIZED, url(&server.mcp), &headers);
    let oauth = OAuth::builder(&server.mcp).user_agent(agent()).build().unwrap();
    let error = oauth.challenged(challenge).await.unwrap_err().to_string();
    assert!(error.contains("publishes no metadata") && error.contains("/none"), "{error}");
    assert_eq!(server.state.lock().log, [] as [String; 0]);
}

#[tokio::test]
async fn an_authorization_server_without_metadata_is_not_guessed_at() {
    let world = World::with(|rules| rules.issuer = "http://127.0.0.1:1".to_owned()).await;
    let error = error_of(&world).await;
    assert!(error.contains("failed to reach http://127.0.0.1:1/"), "{error}");
    world.change(|rules| rules.issuer = format!("{}/tenant", world.auth));
    let error = error_of(&world).await;
    assert!(
        error.contains("publishes no metadata") && error.contains("openid-configuration/tenant"),
        "{error}"
    );
    assert!(world.asked("POST").is_empty());
}
