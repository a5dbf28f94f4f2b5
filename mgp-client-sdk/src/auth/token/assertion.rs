//! Signed client assertions (RFC 7523 §2.2).

use crate::auth::SigningKey;
use crate::auth::{OAuthError, Secret, clock::now, random};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use serde_json::json;

/// The lifetime of an assertion, in seconds.
const LIFETIME: u64 = 120;

/// Signs an assertion of a client for an authorization server.
pub(super) fn assert(client: &str, issuer: &str, key: &SigningKey) -> Result<Secret, OAuthError> {
    let mut header = json!({ "alg": key.algorithm().as_str(), "typ": "JWT" });
    if let Some(id) = key.id() {
        header["kid"] = id.into();
    }
    let now = now();
    let claims = json!({
        "iss": client,
        "sub": client,
        "aud": issuer,
        "iat": now,
        "exp": now + LIFETIME,
        "jti": random::text()?,
    });
    let encode = |part: &serde_json::Value| URL_SAFE_NO_PAD.encode(part.to_string());
    let signed = format!("{}.{}", encode(&header), encode(&claims));
    let signature = URL_SAFE_NO_PAD.encode(key.sign(signed.as_bytes())?);
    Ok(Secret::from(format!("{signed}.{signature}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auth::SignatureAlgorithm;
    use ring::{
        rand::SystemRandom,
        signature::{
            ECDSA_P256_SHA256_FIXED, ECDSA_P256_SHA256_FIXED_SIGNING, ED25519, EcdsaKeyPair, Ed25519KeyPair,
            KeyPair, UnparsedPublicKey, VerificationAlgorithm,
        },
    };

    fn pem(der: &[u8]) -> String {
        let text = base64::engine::general_purpose::STANDARD.encode(der);
        format!("-----BEGIN PRIVATE KEY-----\n{text}\n-----END PRIVATE KEY-----\n")
    }

    fn check(
        der: &[u8],
        public: &[u8],
        algorithm: SignatureAlgorithm,
        by: &'static dyn VerificationAlgorithm,
    ) {
        let key = SigningKey::from_pem(&pem(der), algorithm).unwrap().with_id("k1");
        let assertion = assert("client", "https://as.example", &key).unwrap();
        let (signed, signature) = assertion.expose().rsplit_once('.').unwrap();
        let signature = URL_SAFE_NO_PAD.decode(signature).unwrap();
        UnparsedPublicKey::new(by, public).verify(signed.as_bytes(), &signature).unwrap();
        let parts: Vec<serde_json::Value> = signed
            .split('.')
            .map(|part| serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).unwrap()).unwrap())
            .collect();
        assert_eq!(parts[0], json!({ "alg": algorithm.as_str(), "typ": "JWT", "kid": "k1" }));
        assert_eq!((&parts[1]["iss"], &parts[1]["sub"]), (&json!("client"), &json!("client")));
        assert_eq!(parts[1]["aud"], "https://as.example");
        assert_eq!(parts[1]["exp"].as_u64().unwrap() - parts[1]["iat"].as_u64().unwrap(), LIFETIME);
        assert!(parts[1]["jti"].as_str().unwrap().len() >= 22);
    }

    #[test]
    fn an_assertion_is_signed_for_one_client_and_one_server() {
        let random = SystemRandom::new();
        let on = &ECDSA_P256_SHA256_FIXED_SIGNING;
        let der = EcdsaKeyPair::generate_pkcs8(on, &random).unwrap();
        let pair = EcdsaKeyPair::from_pkcs8(on, der.as_ref(), &random).unwrap();
        check(der.as_ref(), pair.public_key().as_ref(), SignatureAlgorithm::Es256, &ECDSA_P256_SHA256_FIXED);
        let der = Ed25519KeyPair::generate_pkcs8(&random).unwrap();
        let pair = Ed25519KeyPair::from_pkcs8(der.as_ref()).unwrap();
        check(der.as_ref(), pair.public_key().as_ref(), SignatureAlgorithm::Ed25519, &ED25519);
    }

    #[test]
    fn a_key_of_another_algorithm_is_refused_and_never_shown() {
        let der =
            EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &SystemRandom::new()).unwrap();
        let pem = pem(der.as_ref());
        for algorithm in [SignatureAlgorithm::Rs256, SignatureAlgorithm::Es384, SignatureAlgorithm::Ed25519] {
            let error = SigningKey::from_pem(&pem, algorithm).unwrap_err().to_string();
            assert!(error.contains("private key") && error.contains(algorithm.as_str()), "{error}");
        }
        assert!(SigningKey::from_pem("hush", SignatureAlgorithm::Es256).is_err());
        let shown = format!("{:?}", SigningKey::from_pem(&pem, SignatureAlgorithm::Es256).unwrap());
        assert_eq!(shown, "SigningKey { algorithm: Es256, id: None, .. }");
    }
}
