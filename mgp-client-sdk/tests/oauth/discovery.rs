//! The discovery of a server's authorization server.

use super::rig::{World, agent, call, url};
use http::{HeaderMap, StatusCode, header::WWW_AUTHENTICATE};
use mgp_client_sdk::auth::{OAuth, RegisteredClient};
use mgp_transport::http::client::{Authorize, Challenge};
use serde_json::json;

async fn error_of(world: &World) -> String {
    let oauth = OAuth::builder(&world.mcp).user_agent(agent()).build().unwrap();
    call(&world.mcp, &oauth, "a").await.unwrap_err()
}

#[tokio::test]
async fn metadata_of_another_resource_is_refused_before_any_prompt() {
    let world = World::with(|rules| rules.resource = Some("https://evil.example/mcp".to_owned())).await;
    let error = error_of(&world).await;
    assert!(
        error.starts_with("1002") && error.contains("evil.example") && error.contains(&world.mcp),
        "{error}"
    );
    assert_eq!(world.state.lock().log, [] as [String; 0]);
}

#[tokio::test]
async fn metadata_of_another_issuer_is_refused_before_any_prompt() {
    let world = World::new().await;
    // Nobody answers at the port 1, so that issuer does not say that it is at the endpoints of the other one.
    let issuer = "http://127.0.0.1:1";
    world.change(|rules| drop(rules.metadata.insert("issuer", issuer.into())));
    let error = error_of(&world).await;
    assert!(error.contains(&format!("is of the issuer {issuer:?}, expected {:?}", world.auth)), "{error}");
    assert!(
        world.asked("POST").is_empty() && world.asked(&format!("GET {}/authorize", world.auth)).is_empty()
    );
}

#[tokio::test]
async fn an_issuer_with_a_trailing_slash_is_the_same_issuer() {
    let world = World::new().await;
    let slashed = format!("{}/", world.auth);
    world.change(|rules| rules.issuer = slashed.clone());
    let client = RegisteredClient::new("known").secret("hush").issuer(&slashed);
    let oauth = OAuth::builder(&world.mcp).user_agent(agent()).client(client).build().unwrap();
    call(&world.mcp, &oauth, "a").await.unwrap();
    let asked = world.asked(&format!("GET {}/authorize", world.auth));
    assert!(asked[0].contains("client_id=known"), "{asked:?}");
    // The other way round: the metadata has the slash. The redirect names no issuer, because here it would have none.
    world.change(|rules| {
        rules.issuer = world.auth.clone();
        rules.metadata.insert("issuer", slashed.clone().into());
        rules.metadata.insert("authorization_response_iss_parameter_supported", json!(null));
        rules.iss = Some("");
    });
    world.revoke();
    call(&world.mcp, &oauth, "a").await.unwrap();
    assert_eq!(world.asked(&format!("GET {}/authorize", world.auth)).len(), 2);
}

/// Makes the MCP server's host publish metadata that name the issuer of the authorization server, with these endpoints.
fn host_names_issuer(world: &World, endpoints: &[(&'static str, String)]) {
    let members = endpoints.iter().map(|(name, url)| (*name, json!(url)));
    let members = members.chain([("issuer", json!(world.auth))]).collect();
    world.change(|rules| drop(rules.metadata_at.insert(world.host().to_owned(), members)));
}

#[tokio::test]
async fn root_metadata_may_name_an_issuer_that_gets_every_secret() {
    for names_no_issuer in [true, false] {
        let world = World::new().await;
        world.change(|rules| {
            rules.names_no_issuer = names_no_issuer;
            rules.issuer = world.host().to_owned();
        });
        let own = |name: &str| format!("{}/{name}", world.auth);
        host_names_issuer(
            &world,
            &[
                ("authorization_endpoint", own("authorize")),
                ("token_endpoint", own("token")),
                ("registration_endpoint", own("register")),
            ],
        );
        // Its own metadata is not asked for.
        let nothing = [("issuer", json!("http://127.0.0.1:1"))].into_iter().collect();
        world.change(|rules| drop(rules.metadata_at.insert(world.auth.clone(), nothing)));
        let oauth = OAuth::builder(&world.mcp).user_agent(agent()).build().unwrap();
        call(&world.mcp, &oauth, "a").await.unwrap();
        assert_eq!(world.asked(&format!("POST {}/token", world.auth)).len(), 1);
        assert!(world.asked(&format!("POST {}", world.host())).is_empty());
    }
}

#[tokio::test]
async fn mixed_metadata_yields_only_the_issuer_s_name() {
    for endpoint in ["token_endpoint", "registration_endpoint", "authorization_endpoint"] {
        let world = World::with(|rules| rules.names_no_issuer = true).await;
        let evil = World::new().await;
        let mixed = |name: &'static str| {
            let at = if name == endpoint { &evil.auth } else { &world.auth };
            (name, format!("{at}/{}", name.strip_suffix("_endpoint").unwrap()))
        };
        let endpoints = ["token_endpoint", "registration_endpoint", "authorization_endpoint"].map(mixed);
        host_names_issuer(&world, &endpoints);
        let oauth = OAuth::builder(&world.mcp).user_agent(agent()).build().unwrap();
        call(&world.mcp, &oauth, "a").await.unwrap();
        assert_eq!(evil.state.lock().log, [] as [String; 0], "{endpoint}");
        assert!(world.asked(&format!("POST {}", world.host())).is_empty());
        assert_eq!(world.asked(&format!("POST {}/token", world.auth)).len(), 1);
        // Where that issuer does not publish the same name, it is not used at all, and nobody is followed further.
        let other = [("issuer", json!("http://127.0.0.1:1"))].into_iter().collect();
        world.change(|rules| drop(rules.metadata_at.insert(world.auth.clone(), other)));
        let before = world.asked("POST").len();
        let error = error_of(&world).await;
        assert!(
            error.contains(&format!("is of the issuer {:?}, expected {:?}", world.auth, world.host())),
            "{error}"
        );
        assert_eq!(world.asked("POST").len(), before);
    }
}

#[tokio::test]
async fn a_server_without_pkce_is_refused_before_any_prompt() {
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
async fn an_endpoint_without_tls_is_refused() {
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
async fn missing_metadata_that_was_named_allows_no_older_way() {
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
async fn an_authorization_server_without_metadata_is_not_guessed() {
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
