//! Tokens that are bound to a key (RFC 9449).

use crate::{
    rig::{HttpAnswer, INITIALIZE, Rig, now},
    signer::{Signer, encode},
};
use http::Method;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// A server, the issuer's key, the client's key, and a token that is bound to it.
struct Bound {
    rig: Rig,
    client: Signer,
    token: String,
}

impl Bound {
    async fn new(algorithm: &'static str) -> Self {
        let issuer = Signer::new("k");
        let rig = Rig::trusting(&[&issuer]).await;
        let client = Signer::of("client", algorithm);
        let token = issuer.token(&rig.claims(&json!({ "cnf": { "jkt": thumbprint(&client.jwk()) } })));
        Self { rig, client, token }
    }

    /// Returns the proof of a request that opens a session, with the members in `header` and `claims` changed; `null` leaves one out.
    fn proof(&self, header: &Value, claims: &Value) -> String {
        let jwk = self.client.jwk();
        let mut whole = json!({ "typ": "dpop+jwt", "alg": self.client.algorithm, "jwk": jwk });
        change(&mut whole, header);
        let ath = encode(Sha256::digest(&self.token));
        let mut all = json!({
            "jti": encode(Sha256::digest(format!("{header}{claims}"))), "htm": "POST", "htu": self.rig.resource,
            "iat": now(), "ath": ath,
        });
        change(&mut all, claims);
        self.client.token_with(&whole, &all)
    }

    async fn send(&self, scheme: &str, proofs: &[&str]) -> HttpAnswer {
        let authorization = format!("{scheme} {}", self.token);
        let mut headers = vec![("authorization", &*authorization)];
        headers.extend(proofs.iter().map(|proof| ("dpop", *proof)));
        self.rig.send(Method::POST, "/mcp", &headers, INITIALIZE).await
    }
}

fn change(whole: &mut Value, changes: &Value) {
    for (name, value) in changes.as_object().unwrap() {
        match value {
            Value::Null => whole.as_object_mut().unwrap().remove(name),
            value => whole.as_object_mut().unwrap().insert(name.clone(), value.clone()),
        };
    }
}

fn thumbprint(jwk: &Value) -> String {
    let names: &[&str] = match jwk["kty"].as_str().unwrap() {
        "EC" => &["crv", "kty", "x", "y"],
        "OKP" => &["crv", "kty", "x"],
        _ => &["e", "kty", "n"],
    };
    let members: Vec<_> = names.iter().map(|name| format!("\"{name}\":{}", jwk[*name])).collect();
    encode(Sha256::digest(format!("{{{}}}", members.join(","))))
}

#[tokio::test]
async fn a_bound_token_is_accepted_with_a_proof_of_its_key() {
    for algorithm in ["ES256", "ES384", "EdDSA", "RS256", "PS256"] {
        let bound = Bound::new(algorithm).await;
        let opened = bound.send("DPoP", &[&bound.proof(&json!({}), &json!({}))]).await;
        assert_eq!(opened.status(), 200, "{algorithm}: {opened:?}");
        // Another form of the same URL.
        let url = bound.rig.resource.replace("http://", "HTTP://") + "?a=b#c";
        let opened = bound.send("dpop", &[&bound.proof(&json!({}), &json!({ "htu": url }))]).await;
        assert_eq!(opened.status(), 200, "{algorithm}: {opened:?}");
    }
}

#[tokio::test]
async fn a_proof_of_another_request_key_or_time_is_refused() {
    let bound = Bound::new("ES256").await;
    let other = Signer::new("other");
    let mut with_private = bound.client.jwk();
    with_private["d"] = "x".into();
    for (header, claims, reason) in [
        (json!({}), json!({ "htm": "GET" }), "htm"),
        (json!({}), json!({ "htm": null }), "htm"),
        (json!({}), json!({ "htu": "http://127.0.0.1:1/mcp" }), "htu"),
        (json!({}), json!({ "htu": format!("{}/x", bound.rig.resource) }), "htu"),
        (json!({}), json!({ "htu": null }), "htu"),
        (json!({}), json!({ "ath": encode(Sha256::digest("other")) }), "ath"),
        (json!({}), json!({ "ath": null }), "ath"),
        (json!({}), json!({ "iat": now() - 303 }), "iat"),
        (json!({}), json!({ "iat": now() + 303 }), "iat"),
        (json!({}), json!({ "iat": null }), "iat"),
        (json!({}), json!({ "iat": "now" }), "iat"),
        (json!({}), json!({ "jti": null }), "jti"),
        (json!({}), json!({ "jti": "" }), "jti"),
        (json!({}), json!({ "jti": "x".repeat(600) }), "jti"),
        (json!({ "typ": "jwt" }), json!({}), "typ"),
        (json!({ "typ": null }), json!({}), "typ"),
        (json!({ "crit": ["x"] }), json!({}), "typ"),
        (json!({ "jwk": null }), json!({}), "jwk"),
        (json!({ "jwk": with_private }), json!({}), "private key"),
        (json!({ "jwk": other.jwk() }), json!({}), "another key"),
        (json!({ "alg": "none" }), json!({}), "alg"),
        (json!({ "alg": "HS256" }), json!({}), "alg"),
        (json!({ "alg": "RS256" }), json!({}), "alg"),
    ] {
        let refused = bound.send("DPoP", &[&bound.proof(&header, &claims)]).await;
        let challenge = refused.header("www-authenticate");
        assert_eq!(refused.status(), 401, "{header} {claims}: {refused:?}");
        assert!(challenge.starts_with(r#"DPoP error="invalid_dpop_proof""#), "{challenge}");
        assert!(challenge.contains(reason), "{header} {claims}: {challenge}");
    }
    let wrong = bound.proof(&json!({}), &json!({}));
    let (signed, _) = wrong.rsplit_once('.').unwrap();
    let forged = format!("{signed}.{}", encode([0; 64]));
    let proof = bound.proof(&json!({}), &json!({ "jti": "one" }));
    for proofs in [&[][..], &[&*proof, &proof], &["", "x"], &["a.b.c"], &[&forged]] {
        let refused = bound.send("DPoP", proofs).await;
        assert!(refused.header("www-authenticate").contains("invalid_dpop_proof"), "{proofs:?}: {refused:?}");
    }
}

#[tokio::test]
async fn a_proof_is_accepted_once() {
    let bound = Bound::new("ES256").await;
    let proof = bound.proof(&json!({}), &json!({}));
    assert_eq!(bound.send("DPoP", &[&proof]).await.status(), 200);
    let again = bound.send("DPoP", &[&proof]).await;
    assert!(again.header("www-authenticate").contains("used before"), "{again:?}");
}

#[tokio::test]
async fn a_token_is_presented_by_the_scheme_that_it_is_for() {
    let bound = Bound::new("ES256").await;
    let proof = bound.proof(&json!({}), &json!({}));
    bound.send("Bearer", &[&proof]).await.is_no_token("bound to a key: expected Authorization: DPoP");
    let issuer = Signer::new("k");
    let rig = Rig::trusting(&[&issuer]).await;
    for (cnf, reason) in [
        (json!(null), "not bound to a key"),
        (json!({ "x5t#S256": "x" }), "bound in a way that cannot be proved"),
        (json!({ "jkt": 7 }), "bound in a way that cannot be proved"),
    ] {
        let token = issuer.token(&rig.claims(&json!({ "cnf": cnf })));
        let authorization = format!("DPoP {token}");
        let headers = [("authorization", &*authorization), ("dpop", &*proof)];
        rig.send(Method::POST, "/mcp", &headers, INITIALIZE).await.is_no_token(reason);
    }
}
