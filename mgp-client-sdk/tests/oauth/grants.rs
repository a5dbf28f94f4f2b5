//! The ways to a token.

use super::rig::{World, agent, call, connect, url};
use async_trait::async_trait;
use base64::{Engine, engine::general_purpose::STANDARD};
use futures_util::future::join_all;
use mgp_client_sdk::{
    RawJson,
    auth::{
        AuthMethod, Enterprise, OAuth, RegisteredClient, Secret, SignatureAlgorithm, SigningKey, UserAgent,
        UserAgentError, Visit,
    },
};
use ring::{
    rand::SystemRandom,
    signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair},
};
use serde_json::json;
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};
use tokio::sync::Semaphore;
use url::{Url, form_urlencoded};
use xtask_testing::until;

#[tokio::test]
async fn a_user_is_asked_once_and_the_call_succeeds() {
    let world = World::new().await;
    let oauth = OAuth::builder(&world.mcp).user_agent(agent()).client_name("test").build().unwrap();
    call(&world.mcp, &oauth, "a").await.unwrap();
    call(&world.mcp, &oauth, "b").await.unwrap();
    assert_eq!(world.state.lock().ran, ["a", "b"]);
    let authorize = world.asked(&format!("GET {}/authorize", world.auth));
    assert_eq!(authorize.len(), 1);
    let request = url(authorize[0].split(' ').nth(1).unwrap());
    let get =
        |name: &str| request.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.into_owned());
    assert_eq!(get("resource").as_deref(), Some(world.mcp.as_str()));
    assert_eq!(get("redirect_uri").as_deref(), Some("http://127.0.0.1:3000/callback"));
    assert_eq!((get("scope"), get("prompt")), (None, None));
    let registered = world.asked("POST").into_iter().find(|line| line.contains("/register")).unwrap();
    let registered = registered.split(' ').nth(2).unwrap();
    let registered: serde_json::Value = serde_json::from_str(registered).unwrap();
    assert_eq!(registered["application_type"], "native");
    assert_eq!(registered["grant_types"], json!(["authorization_code", "refresh_token"]));
    assert_eq!(registered["client_name"], "test");
    // The verifier, the state and the resource were checked by the server.
    let token = world.asked(&format!("POST {}/token", world.auth));
    assert!(token.len() == 1 && token[0].contains("code_verifier="), "{token:?}");
}

/// A user who answers when they are let.
#[derive(Debug, Clone)]
struct Slow {
    may: Arc<Semaphore>,
    asked: Arc<AtomicBool>,
}

#[async_trait]
impl UserAgent for Slow {
    async fn begin(&self, _: Option<&Url>) -> Result<Box<dyn Visit>, UserAgentError> {
        Ok(Box::new(SlowVisit(self.clone(), agent().begin(None).await?)))
    }
}

#[derive(Debug)]
struct SlowVisit(Slow, Box<dyn Visit>);

#[async_trait]
impl Visit for SlowVisit {
    fn redirect_uri(&self) -> &Url {
        self.1.redirect_uri()
    }

    async fn authorize(self: Box<Self>, url: &Url) -> Result<Url, UserAgentError> {
        self.0.asked.store(true, Ordering::Release);
        self.0.may.acquire().await.unwrap().forget();
        self.1.authorize(url).await
    }
}

#[tokio::test]
async fn eight_refused_calls_cause_one_authorization() {
    let world = World::new().await;
    let slow = Slow { may: Arc::new(Semaphore::new(0)), asked: Arc::default() };
    let oauth = OAuth::builder(&world.mcp).user_agent(slow.clone()).build().unwrap();
    let connection = connect(&world.mcp, &oauth);
    let calls = (0..8).map(|_| connection.peer().request_raw("a", RawJson::empty_object()));
    let answer = async {
        until(|| slow.asked.load(Ordering::Acquire)).await;
        slow.may.add_permits(8);
    };
    let (answers, ()) = tokio::join!(join_all(calls), answer);
    assert!(answers.iter().all(Result::is_ok), "{answers:?}");
    assert_eq!(world.asked(&format!("GET {}/authorize", world.auth)).len(), 1);
    // And once more, with tokens that are no longer right.
    world.revoke();
    slow.may.add_permits(8);
    let answers = join_all((0..8).map(|_| connection.peer().request_raw("a", RawJson::empty_object()))).await;
    assert!(answers.iter().all(Result::is_ok), "{answers:?}");
    assert_eq!(world.asked(&format!("GET {}/authorize", world.auth)).len(), 2);
}

#[tokio::test]
async fn an_authorization_outlives_the_call_that_started_it() {
    let world = World::new().await;
    let slow = Slow { may: Arc::new(Semaphore::new(0)), asked: Arc::default() };
    let oauth = OAuth::builder(&world.mcp).user_agent(slow.clone()).build().unwrap();
    let connection = connect(&world.mcp, &oauth);
    let peer = connection.peer().clone();
    let first = tokio::spawn(async move { peer.request_raw("a", RawJson::empty_object()).await });
    until(|| slow.asked.load(Ordering::Acquire)).await;
    first.abort();
    drop(connection);
    slow.may.add_permits(8);
    call(&world.mcp, &oauth, "b").await.unwrap();
    assert_eq!(world.asked(&format!("GET {}/authorize", world.auth)).len(), 1);
}

#[tokio::test]
async fn client_credentials_use_a_method_of_both_sides() {
    let methods: [(&[&str], &str); 2] = [
        (&["client_secret_basic", "client_secret_post"], "Basic "),
        (&["client_secret_post"], "client_secret="),
    ];
    for (methods, shown) in methods {
        let world = World::with(|rules| {
            rules.known_client = Some(("c", "hush"));
            rules.metadata.insert("token_endpoint_auth_methods_supported", methods.into());
            rules.metadata.insert("authorization_endpoint", json!(null));
        })
        .await;
        let client = RegisteredClient::new("c").secret("hush").issuer(&world.auth);
        let oauth = OAuth::builder(&world.mcp).client(client).client_credentials().build().unwrap();
        call(&world.mcp, &oauth, "a").await.unwrap();
        let token = world.asked(&format!("POST {}/token", world.auth));
        assert!(token.len() == 1 && token[0].contains(shown) && token[0].contains("resource="), "{token:?}");
    }
}

#[tokio::test]
async fn a_client_signs_with_its_key_if_the_server_accepts_it() {
    let world = World::with(|rules| {
        rules.known_client = Some(("c", "hush"));
        rules.metadata.insert("token_endpoint_auth_methods_supported", json!(["private_key_jwt"]));
    })
    .await;
    let der = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &SystemRandom::new()).unwrap();
    let pem = STANDARD.encode(der.as_ref());
    let pem = format!("-----BEGIN PRIVATE KEY-----\n{pem}\n-----END PRIVATE KEY-----\n");
    let key = || SigningKey::from_pem(&pem, SignatureAlgorithm::Es256).unwrap();
    let build = || {
        let client = RegisteredClient::new("c").key(key());
        OAuth::builder(&world.mcp).client(client).client_credentials().build().unwrap()
    };
    call(&world.mcp, &build(), "a").await.unwrap();
    let token = world.asked(&format!("POST {}/token", world.auth));
    assert!(token[0].contains("client_assertion=ey"), "{token:?}");
    world.change(|rules| {
        rules.metadata.insert("token_endpoint_auth_signing_alg_values_supported", json!(["RS256"]));
    });
    let error = call(&world.mcp, &build(), "a").await.unwrap_err();
    assert!(error.contains("expected one of RS256, found ES256"), "{error}");
}

#[tokio::test]
async fn an_enterprise_identity_provider_vouches_for_its_user() {
    let world = World::new().await;
    let provider = world.another_authorization_server().await;
    let build = || {
        let endpoint = url(&format!("{provider}/token"));
        let enterprise = Enterprise::new(endpoint, "idp-client", Secret::from("id-token"));
        let client = RegisteredClient::new("c").secret("hush").method(AuthMethod::ClientSecretPost);
        OAuth::builder(&world.mcp).client(client).enterprise(enterprise).build().unwrap()
    };
    call(&world.mcp, &build(), "a").await.unwrap();
    let field = |name: &str, value: &str| {
        form_urlencoded::Serializer::new(String::new()).append_pair(name, value).finish()
    };
    let exchange = world.asked(&format!("POST {provider}/token"));
    for part in [
        field("requested_token_type", "urn:ietf:params:oauth:token-type:id-jag"),
        field("subject_token_type", "urn:ietf:params:oauth:token-type:id_token"),
        field("subject_token", "id-token"),
        field("audience", &world.auth),
        field("resource", &world.mcp),
        field("client_id", "idp-client"),
    ] {
        assert!(exchange[0].contains(&part), "{part}: {exchange:?}");
    }
    // The secret of one server is not shown to the other.
    assert!(!exchange[0].contains("hush"));
    let grant = world.asked(&format!("POST {}/token", world.auth));
    assert!(grant[0].contains(&field("assertion", &format!("jag.{}.id-token", world.auth))), "{grant:?}");
    // What is no such assertion is not passed on.
    world.change(|rules| rules.issued = Some("urn:ietf:params:oauth:token-type:access_token"));
    let error = call(&world.mcp, &build(), "a").await.unwrap_err();
    assert!(error.contains("expected issued_token_type"), "{error}");
    assert_eq!(world.asked(&format!("POST {}/token", world.auth)).len(), 1);
}

#[tokio::test]
async fn a_refused_workload_is_reported_and_does_not_ask_again() {
    let world = World::with(|rules| rules.token_answer = Some((400, "invalid_grant"))).await;
    let oauth = OAuth::builder(&world.mcp)
        .client(RegisteredClient::new("w"))
        .workload(Secret::from("hush-jwt"))
        .build()
        .unwrap();
    for _ in 0..2 {
        let error = call(&world.mcp, &oauth, "a").await.unwrap_err();
        assert!(error.contains("invalid_grant: as the rules say") && !error.contains("hush"), "{error}");
    }
    assert_eq!(world.asked(&format!("POST {}/token", world.auth)).len(), 1);
}
