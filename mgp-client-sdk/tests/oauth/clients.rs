//! The client that is used at each authorization server.

use super::rig::{World, agent, call, url};
use mgp_client_sdk::auth::{OAuth, OAuthBuilder, RegisteredClient, TokenFile};
use serde_json::json;

const DOCUMENT: &str = "https://app.example/client.json";

fn builder(world: &World) -> OAuthBuilder {
    OAuth::builder(&world.mcp).user_agent(agent())
}

/// The client ids that asked users.
fn clients(world: &World) -> Vec<String> {
    let authorize = world.asked("GET").into_iter().filter(|line| line.contains("/authorize?"));
    let client = |line: String| {
        let request = url(line.split(' ').nth(1).unwrap());
        request.query_pairs().find(|(key, _)| key == "client_id").unwrap().1.into_owned()
    };
    authorize.map(client).collect()
}

#[tokio::test]
async fn a_known_client_precedes_a_document_and_a_registration() {
    let known = || RegisteredClient::new("known").secret("hush");
    let world = World::with(|rules| {
        rules.metadata.insert("client_id_metadata_document_supported", json!(true));
    })
    .await;
    let all = builder(&world).client(known().issuer(&world.auth)).client_metadata(DOCUMENT).build().unwrap();
    call(&world.mcp, &all, "a").await.unwrap();
    let document = builder(&world).client_metadata(DOCUMENT).build().unwrap();
    call(&world.mcp, &document, "a").await.unwrap();
    world.change(|rules| drop(rules.metadata.remove("client_id_metadata_document_supported")));
    let registered = builder(&world).client_metadata(DOCUMENT).build().unwrap();
    call(&world.mcp, &registered, "a").await.unwrap();
    let clients = clients(&world);
    assert_eq!(clients[..2], ["known", DOCUMENT]);
    assert!(clients[2].starts_with("registered-"), "{clients:?}");
    let none = builder(&world).without_registration().build().unwrap();
    let error = call(&world.mcp, &none, "a").await.unwrap_err();
    assert!(error.contains("there is no client id") && error.contains(&world.auth), "{error}");
}

#[tokio::test]
async fn another_issuer_needs_another_client() {
    let world = World::with(|rules| {
        rules.refresh_tokens = true;
        rules.metadata.insert("token_endpoint_auth_methods_supported", json!(["client_secret_post"]));
    })
    .await;
    let oauth = builder(&world).build().unwrap();
    call(&world.mcp, &oauth, "a").await.unwrap();
    let second = world.another_authorization_server().await;
    world.change(|rules| rules.issuer = second.clone());
    world.revoke();
    call(&world.mcp, &oauth, "a").await.unwrap();
    let clients = clients(&world);
    assert!(clients.len() == 2 && clients[0] != clients[1], "{clients:?}");
    let seen: Vec<_> = world.state.lock().log.iter().filter(|line| line.contains(&second)).cloned().collect();
    assert!(!seen.is_empty());
    for line in seen {
        assert!(!line.contains(&clients[0]) && !line.contains("hush-refresh"), "{line}");
    }
}

#[tokio::test]
async fn a_secret_is_sent_to_its_own_issuer_only() {
    for named in [true, false] {
        let world = World::new().await;
        let folder = tempfile::tempdir().unwrap();
        let build = || {
            let client = RegisteredClient::new("settled").secret("hush-settled");
            let client = if named { client.issuer(&world.auth) } else { client };
            builder(&world).client(client).store(TokenFile::in_folder(folder.path())).build().unwrap()
        };
        call(&world.mcp, &build(), "a").await.unwrap();
        let kept = mgp_store::secrets::SecretStore::in_folder(folder.path()).all().unwrap();
        let kept = format!("{kept:?}");
        assert!(kept.contains("settled") && !kept.contains("hush-settled"));
        // Twice: a grant of another issuer must not loosen the binding.
        for _ in 0..2 {
            let evil = world.another_authorization_server().await;
            world.change(|rules| rules.issuer = evil.clone());
            world.revoke();
            call(&world.mcp, &build(), "a").await.unwrap();
            let seen: Vec<_> =
                world.state.lock().log.iter().filter(|line| line.contains(&evil)).cloned().collect();
            // In HTTP Basic it would stand in base64.
            assert!(
                seen.iter().all(|line| !line.contains("Basic ") && !line.contains("settled")),
                "{seen:?}"
            );
        }
    }
}

#[tokio::test]
async fn the_issuer_with_a_known_client_is_preferred() {
    let world = World::new().await;
    let other = world.another_authorization_server().await;
    world.change(|rules| rules.more_issuers = vec![other.clone()]);
    let went_to =
        |start: &str| world.state.lock().log.iter().any(|line| line.contains(&format!("{start}/token")));
    let client = RegisteredClient::new("c").secret("hush").issuer(&world.auth);
    call(&world.mcp, &builder(&world).client(client).build().unwrap(), "a").await.unwrap();
    assert!(went_to(&world.auth) && !went_to(&other));
    let preferring = builder(&world).prefer_issuers([&world.auth]).build().unwrap();
    call(&world.mcp, &preferring, "a").await.unwrap();
    assert!(!went_to(&other));
    // An issuer whose tokens are already stored comes first.
    world.change(|rules| rules.more_issuers = vec![]);
    let oauth = builder(&world).build().unwrap();
    call(&world.mcp, &oauth, "a").await.unwrap();
    world.change(|rules| rules.more_issuers = vec![other.clone()]);
    world.revoke();
    call(&world.mcp, &oauth, "a").await.unwrap();
    assert!(!went_to(&other));
    // Otherwise the first issuer is taken.
    call(&world.mcp, &builder(&world).build().unwrap(), "a").await.unwrap();
    assert!(went_to(&other));
}

#[tokio::test]
async fn a_registration_is_reused_until_it_fails() {
    let world = World::new().await;
    let folder = tempfile::tempdir().unwrap();
    let build = || builder(&world).store(TokenFile::in_folder(folder.path())).build().unwrap();
    let registrations = || world.asked(&format!("POST {}/register", world.auth)).len();
    call(&world.mcp, &build(), "a").await.unwrap();
    world.revoke();
    call(&world.mcp, &build(), "a").await.unwrap();
    assert_eq!((registrations(), clients(&world).len()), (1, 2));
    // The authorization server forgot the client.
    world.revoke();
    world.change(|rules| rules.token_answer = Some((401, "invalid_client")));
    assert!(call(&world.mcp, &build(), "a").await.unwrap_err().contains("invalid_client"));
    assert_eq!(registrations(), 1);
    world.change(|rules| rules.token_answer = None);
    call(&world.mcp, &build(), "a").await.unwrap();
    assert_eq!(registrations(), 2);
}
