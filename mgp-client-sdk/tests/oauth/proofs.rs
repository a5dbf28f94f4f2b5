//! Tokens that are bound to a key of the client (RFC 9449).

use super::rig::{ProofRules, World, agent, call};
use mgp_client_sdk::auth::{OAuth, TokenFile};
use serde_json::json;

const PROOFS: ProofRules =
    ProofRules { challenge: "DPoP ..", token_nonce: None, nonce: None, supplied: None, bearer: false };
const TOO_LONG: &str = match str::from_utf8(&[b'x'; 2000]) {
    Ok(nonce) => nonce,
    Err(_) => "",
};

async fn bound_world(proofs: ProofRules) -> World {
    World::with(|rules| {
        rules.proofs = Some(proofs);
        rules.refresh_tokens = true;
    })
    .await
}

#[tokio::test]
async fn every_request_proves_possession_of_the_token_s_key() {
    let world = bound_world(PROOFS).await;
    let oauth = OAuth::builder(&world.mcp).user_agent(agent()).build().unwrap();
    // The servers accept each proof once, and only for its own request.
    for method in ["a", "b", "c"] {
        call(&world.mcp, &oauth, method).await.unwrap();
    }
    assert_eq!(world.state.lock().ran, ["a", "b", "c"]);
}

#[tokio::test]
async fn both_servers_may_demand_a_nonce() {
    let world =
        bound_world(ProofRules { token_nonce: Some("of-issuer"), nonce: Some("first"), ..PROOFS }).await;
    let oauth = OAuth::builder(&world.mcp).user_agent(agent()).build().unwrap();
    call(&world.mcp, &oauth, "a").await.unwrap();
    // A nonce may be replaced at any time.
    world.change(|rules| rules.proofs.as_mut().unwrap().nonce = Some("second"));
    call(&world.mcp, &oauth, "b").await.unwrap();
    assert_eq!(world.state.lock().ran, ["a", "b"]);
    assert_eq!(world.asked(&format!("POST {}/token", world.auth)).len(), 2, "once without the nonce");
    assert_eq!(world.asked(&format!("GET {}/authorize", world.auth)).len(), 1);
}

#[tokio::test]
async fn a_server_whose_nonces_do_not_help_is_given_up() {
    // One is too long to be used, the other is not the one that the server expects.
    for (nonce, supplied) in [(TOO_LONG, None), ("right", Some("wrong"))] {
        let world = bound_world(ProofRules { nonce: Some(nonce), supplied, ..PROOFS }).await;
        let oauth = OAuth::builder(&world.mcp).user_agent(agent()).build().unwrap();
        let error = call(&world.mcp, &oauth, "a").await.unwrap_err();
        assert!(error.contains("HTTP 401"), "{error}");
        assert_eq!(world.asked(&format!("GET {}/authorize", world.auth)).len(), 1);
    }
}

#[tokio::test]
async fn a_kept_token_is_used_and_refreshed_with_its_key() {
    let (world, folder) = (bound_world(PROOFS).await, tempfile::tempdir().unwrap());
    let connected = || {
        let store = TokenFile::in_folder(folder.path());
        OAuth::builder(&world.mcp).user_agent(agent()).store(store).build().unwrap()
    };
    call(&world.mcp, &connected(), "a").await.unwrap();
    call(&world.mcp, &connected(), "b").await.unwrap();
    world.revoke();
    call(&world.mcp, &connected(), "c").await.unwrap();
    assert_eq!(world.state.lock().ran, ["a", "b", "c"]);
    assert_eq!(world.asked(&format!("GET {}/authorize", world.auth)).len(), 1);
}

#[tokio::test]
async fn bearer_tokens_are_used_where_tokens_are_not_bound() {
    let bearer = ProofRules { bearer: true, ..PROOFS };
    // The server accepts both kinds, and the authorization server names another algorithm, or none.
    for algorithms in [json!(null), json!(["RS256"])] {
        let world = bound_world(ProofRules { challenge: r#"Bearer .., DPoP algs="ES256""#, ..bearer }).await;
        world.change(|rules| drop(rules.metadata.insert("dpop_signing_alg_values_supported", algorithms)));
        let oauth = OAuth::builder(&world.mcp).user_agent(agent()).build().unwrap();
        call(&world.mcp, &oauth, "a").await.unwrap();
    }
    // An authorization server may issue a bearer token in spite of the proof.
    let world = bound_world(bearer).await;
    let oauth = OAuth::builder(&world.mcp).user_agent(agent()).build().unwrap();
    call(&world.mcp, &oauth, "a").await.unwrap();
    assert!(world.state.lock().keys.is_empty());
}

#[tokio::test]
async fn a_server_that_demands_another_algorithm_is_named() {
    let world = bound_world(PROOFS).await;
    let algorithms = json!(["RS256", "PS256"]);
    world.change(|rules| drop(rules.metadata.insert("dpop_signing_alg_values_supported", algorithms)));
    let oauth = OAuth::builder(&world.mcp).user_agent(agent()).build().unwrap();
    let error = call(&world.mcp, &oauth, "a").await.unwrap_err();
    assert!(error.contains("ES256 is not among RS256, PS256") && error.contains(&world.auth), "{error}");
}
