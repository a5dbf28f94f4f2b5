//! Tests of signed tokens: those that are accepted, and those that are not.

use crate::{
    rig::{Rig, by_keys, now},
    signer::{Signer, encode},
};
use http::Method;
use mgp_security::identity::oauth::SignatureAlgorithm;
use serde_json::{Value, json};

#[tokio::test]
async fn a_caller_without_a_token_learns_the_way_to_one() {
    let rig = Rig::new(|b, a| by_keys(b, a).required_scopes(["mcp"]).described(Some("Tools"), None)).await;
    let refused = rig.send(Method::POST, "/mcp", &[], "{}").await;
    let metadata = rig.resource.replace("/mcp", "/.well-known/oauth-protected-resource/mcp");
    let challenge = format!(r#"Bearer scope="mcp", resource_metadata="{metadata}""#);
    assert_eq!((refused.status(), refused.header("www-authenticate")), (401, &*challenge));
    assert_eq!(refused.json()["error"]["code"], -32600);

    let algorithms: Vec<_> = SignatureAlgorithm::ALL.iter().map(|algorithm| algorithm.as_str()).collect();
    for path in ["/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-protected-resource"] {
        let document = rig.send(Method::GET, path, &[], "").await;
        assert_eq!(document.header("content-type"), "application/json");
        assert_eq!(
            document.json(),
            json!({
                "resource": rig.resource,
                "authorization_servers": [rig.authority.issuer],
                "scopes_supported": ["mcp"],
                "bearer_methods_supported": ["header"],
                "resource_name": "Tools",
                "dpop_signing_alg_values_supported": algorithms,
            })
        );
    }
    let signer = Signer::new("k");
    rig.authority.publish(&[&signer]);
    let token = signer.token(&rig.claims(&json!({})));
    let in_the_address = format!("/mcp?access_token={token}");
    assert_eq!(rig.send(Method::POST, &in_the_address, &[], "{}").await.status(), 401);
    assert_eq!(rig.open(&token).await.status(), 200);
}

#[tokio::test]
async fn a_token_with_any_listed_algorithm_is_accepted() {
    for algorithm in SignatureAlgorithm::ALL {
        let signer = Signer::of("k", algorithm.as_str());
        let rig = Rig::trusting(&[&signer]).await;
        let claims = rig.claims(&json!({}));
        assert_eq!(rig.whoami(&signer.token(&claims)).await, ("alice".to_owned(), false), "{algorithm:?}");
        // The same with a list of audiences, another type, and no key named if there is only one.
        let claims = rig.claims(&json!({ "aud": ["x", rig.resource], "nbf": now() }));
        for header in
            [json!({ "alg": algorithm.as_str(), "typ": "JWT" }), json!({ "alg": algorithm.as_str() })]
        {
            assert_eq!(rig.open(&signer.token_with(&header, &claims)).await.status(), 200, "{header}");
        }
    }
}

#[tokio::test]
async fn a_token_of_another_time_audience_or_issuer_is_refused() {
    let signer = Signer::new("k");
    let rig = Rig::trusting(&[&signer]).await;
    let slash = format!("{}/", rig.authority.issuer);
    for (instead, reason) in [
        (json!({ "aud": "http://other.example/mcp" }), "(aud)"),
        (json!({ "aud": null }), "(aud)"),
        (json!({ "aud": rig.resource.replace("/mcp", "") }), "(aud)"),
        (json!({ "iss": "https://evil.example" }), "(iss)"),
        (json!({ "iss": slash }), "(iss)"),
        (json!({ "iss": null }), "(iss)"),
        (json!({ "exp": now() - 61 }), "(exp)"),
        (json!({ "exp": null }), "(exp)"),
        (json!({ "exp": "never" }), "exp is not a time"),
        (json!({ "nbf": now() + 120 }), "(nbf, iat)"),
        (json!({ "iat": now() + 120 }), "(nbf, iat)"),
        (json!({ "sub": null }), "names no agent"),
        (json!({ "cnf": { "jkt": "x" } }), "(cnf)"),
    ] {
        let refused = rig.open(&signer.token(&rig.claims(&instead))).await;
        refused.is_no_token(reason);
    }
    rig.open("opaque").await.is_no_token("not a signed access token");
    rig.open("a.b.c").await.is_no_token("not a signed access token");
}

#[tokio::test]
async fn a_token_not_signed_by_the_issuer_s_key_is_refused() {
    let signer = Signer::of("k", "RS256");
    let rig = Rig::trusting(&[&signer]).await;
    let claims = rig.claims(&json!({}));
    let (header, body) = (json!({ "alg": "none", "kid": "k" }), encode(claims.to_string()));
    for signature in ["", "AA"] {
        let unsigned = format!("{}.{body}.{signature}", encode(header.to_string()));
        rig.open(&unsigned).await.is_no_token("(alg)");
    }
    // Public values, used as a secret.
    let n = signer.jwk()["n"].as_str().unwrap().to_owned();
    for secret in [n.clone().into_bytes(), signer.jwk().to_string().into_bytes()] {
        let signed = format!("{}.{body}", encode(json!({ "alg": "HS256", "kid": "k" }).to_string()));
        let key = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, &secret);
        let token = format!("{signed}.{}", encode(ring::hmac::sign(&key, signed.as_bytes())));
        rig.open(&token).await.is_no_token("(alg)");
    }
    let token = signer.token(&claims);
    let (signed, signature) = token.rsplit_once('.').unwrap();
    let tampered =
        format!("{signed}.{}{}", if signature.starts_with('A') { "B" } else { "A" }, &signature[1..]);
    rig.open(&tampered).await.is_no_token("signature is wrong");
    let promoted = encode(rig.claims(&json!({ "sub": "root" })).to_string());
    let header = token.split('.').next().unwrap();
    rig.open(&format!("{header}.{promoted}.{signature}")).await.is_no_token("signature is wrong");
    // Another key under the same name, and the right one for another algorithm.
    rig.open(&Signer::new("k").token(&claims)).await.is_no_token("(kid)");
    let other = signer.token_with(&json!({ "alg": "PS256", "kid": "k" }), &claims);
    rig.open(&other).await.is_no_token("signature is wrong");
    assert_eq!(rig.open(&token).await.status(), 200);
}

#[tokio::test]
async fn a_key_in_the_token_s_own_header_is_ignored() {
    let (ours, theirs) = (Signer::new("k"), Signer::new("k"));
    let rig = Rig::trusting(&[&ours]).await;
    for header in [
        json!({ "alg": "ES256", "kid": "k", "jwk": theirs.jwk() }),
        json!({ "alg": "ES256", "kid": "k", "jku": rig.authority.keys_url() }),
    ] {
        let token = theirs.token_with(&header, &rig.claims(&json!({})));
        rig.open(&token).await.is_no_token("signature is wrong");
    }
    assert_eq!(rig.authority.keys_asked(), 1);
}

#[tokio::test]
async fn a_token_type_that_gives_no_access_is_refused() {
    let signer = Signer::new("k");
    let rig = Rig::trusting(&[&signer]).await;
    for header in [
        json!({ "alg": "ES256", "kid": "k", "typ": "logout+jwt" }),
        json!({ "alg": "ES256", "kid": "k", "crit": ["exp"] }),
    ] {
        let token = signer.token_with(&header, &rig.claims(&json!({})));
        rig.open(&token).await.is_no_token("not a signed access token");
    }
}

#[tokio::test]
async fn an_unlisted_algorithm_is_refused() {
    let signer = Signer::new("k");
    let rig = Rig::new(|b, a| by_keys(b, a).algorithms(&[SignatureAlgorithm::Rs256])).await;
    rig.authority.publish(&[&signer]);
    rig.open(&signer.token(&rig.claims(&json!({})))).await.is_no_token("(alg)");
}

#[tokio::test]
async fn a_token_without_a_key_id_must_leave_no_choice() {
    let (one, two) = (Signer::new("1"), Signer::new("2"));
    let rig = Rig::trusting(&[&one, &two]).await;
    let token = one.token_with(&json!({ "alg": "ES256" }), &rig.claims(&json!({})));
    rig.open(&token).await.is_no_token("(kid)");
}

#[tokio::test]
async fn a_session_belongs_to_the_token_that_opened_it() {
    let signer = Signer::new("k");
    let rig = Rig::trusting(&[&signer]).await;
    let token = |sub: &str| signer.token(&rig.claims(&json!({ "sub": sub })));
    let (alice, bob) = (token("alice"), token("bob"));
    let opened = rig.open(&alice).await;
    let session = opened.header("mcp-session-id");
    assert_eq!(rig.ask(&bob, session, "whoami", &json!({})).await.status(), 404);
    // A later token of the same caller continues the session.
    let renewed = signer.token(&rig.claims(&json!({ "exp": now() + 1200 })));
    for token in [&alice, &renewed] {
        let answer = rig.ask(token, session, "whoami", &json!({})).await;
        assert_eq!(answer.json()["result"], json!(["alice", false]));
    }
    let expired = signer.token(&rig.claims(&json!({ "exp": now() - 100 })));
    rig.ask(&expired, session, "whoami", &json!({})).await.is_no_token("(exp)");
}

#[tokio::test]
async fn claims_and_scopes_identify_the_caller() {
    let signer = Signer::new("k");
    let rig = Rig::new(|b, a| {
        by_keys(b, a).agent_claim("client_id").admin_scope("mgp:admin").admin_claim("roles", "boss")
    })
    .await;
    rig.authority.publish(&[&signer]);
    for (instead, admin) in [
        (json!({ "client_id": "agent.x" }), false),
        (json!({ "client_id": "agent.x", "scope": "mcp mgp:admin" }), true),
        (json!({ "client_id": "agent.x", "roles": ["boss"] }), true),
        (json!({ "client_id": "agent.x", "admin": true }), false),
    ] {
        let token = signer.token(&rig.claims(&instead));
        assert_eq!(rig.whoami(&token).await, ("agent.x".to_owned(), admin), "{instead}");
    }
    rig.open(&signer.token(&rig.claims(&json!({})))).await.is_no_token("client_id");
}

#[tokio::test]
async fn a_configured_audience_represents_the_server() {
    let signer = Signer::new("k");
    let rig = Rig::new(|b, a| by_keys(b, a).audience("api://tools")).await;
    rig.authority.publish(&[&signer]);
    let token = |audience: Value| signer.token(&rig.claims(&json!({ "aud": audience })));
    assert_eq!(rig.open(&token(json!("api://tools"))).await.status(), 200);
    rig.open(&token(json!(rig.resource))).await.is_no_token("(aud)");
}
