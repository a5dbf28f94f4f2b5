//! The key of proofs of possession, and the proofs that it signs.

use super::ALGORITHM;
use crate::auth::{OAuthError, Secret, clock::now, random};
use base64::{
    Engine,
    engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD},
};
use http::{HeaderValue, Method};
use ring::{
    rand::SystemRandom,
    signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair},
};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::fmt;
use url::Url;

/// The length of a coordinate of a public key on P-256, in bytes.
const COORDINATE: usize = 32;

/// A private key that tokens are bound to. It is never shown.
pub(in crate::auth) struct ProofKey {
    /// The key in PKCS #8, as base64.
    secret: Secret,
    pair: EcdsaKeyPair,
    /// The public key as a JWK.
    public: Value,
}

impl ProofKey {
    /// Generates a key.
    pub(in crate::auth) fn generate() -> Result<Self, OAuthError> {
        let der = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &SystemRandom::new())
            .map_err(|error| OAuthError::Random(error.to_string()))?;
        Self::of_der(der.as_ref())
    }

    /// Restores a stored key.
    pub(in crate::auth) fn restore(secret: &Secret) -> Result<Self, OAuthError> {
        let der = STANDARD_NO_PAD.decode(secret.expose()).map_err(|_| unusable())?;
        Self::of_der(&der)
    }

    fn of_der(der: &[u8]) -> Result<Self, OAuthError> {
        let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, der, &SystemRandom::new())
            .map_err(|_| unusable())?;
        // An uncompressed point: a byte 4 and two coordinates.
        let point = pair.public_key().as_ref().get(1..).unwrap_or_default();
        let (x, y) = point.split_at_checked(COORDINATE).ok_or_else(unusable)?;
        let encode = |coordinate: &[u8]| URL_SAFE_NO_PAD.encode(coordinate);
        let public = json!({ "kty": "EC", "crv": "P-256", "x": encode(x), "y": encode(y) });
        Ok(Self { secret: STANDARD_NO_PAD.encode(der).into(), pair, public })
    }

    /// Returns the stored form of the key.
    pub(in crate::auth) fn secret(&self) -> &Secret {
        &self.secret
    }

    /// Returns the proof for one request. `token` is the access token of the request, and `nonce` the newest one of the server.
    pub(in crate::auth) fn proof(
        &self,
        method: &Method,
        endpoint: &Url,
        token: Option<&Secret>,
        nonce: Option<&str>,
    ) -> Result<HeaderValue, OAuthError> {
        let mut target = endpoint.clone();
        target.set_query(None);
        target.set_fragment(None);
        let header = json!({ "typ": "dpop+jwt", "alg": ALGORITHM, "jwk": self.public });
        let mut claims = json!({
            "jti": random::text()?,
            "htm": method.as_str(),
            "htu": target.as_str(),
            "iat": now(),
        });
        if let Some(token) = token {
            claims["ath"] = URL_SAFE_NO_PAD.encode(Sha256::digest(token.expose())).into();
        }
        if let Some(nonce) = nonce {
            claims["nonce"] = nonce.into();
        }
        let encode = |part: &Value| URL_SAFE_NO_PAD.encode(part.to_string());
        let signed = format!("{}.{}", encode(&header), encode(&claims));
        let signature = self.pair.sign(&SystemRandom::new(), signed.as_bytes());
        let signature = signature.map_err(|error| OAuthError::Random(error.to_string()))?;
        let proof = format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature.as_ref()));
        HeaderValue::try_from(proof).map_err(|error| OAuthError::Assertion(error.to_string()))
    }
}

impl fmt::Debug for ProofKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProofKey").field("public", &self.public).finish_non_exhaustive()
    }
}

fn unusable() -> OAuthError {
    OAuthError::Assertion("the stored key of proofs is not a P-256 key in PKCS #8".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ring::signature::{ECDSA_P256_SHA256_FIXED, UnparsedPublicKey};

    fn parts(proof: &HeaderValue) -> (Value, Value) {
        let decode = |part: &str| serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).unwrap()).unwrap();
        let mut parts = proof.to_str().unwrap().split('.');
        (decode(parts.next().unwrap()), decode(parts.next().unwrap()))
    }

    #[test]
    fn a_proof_is_for_one_method_url_token_and_nonce() {
        let key = ProofKey::generate().unwrap();
        let url = Url::parse("https://x.example/mcp?a=b#c").unwrap();
        let proof = |token, nonce| key.proof(&Method::GET, &url, token, nonce).unwrap();
        let (header, claims) = parts(&proof(None, None));
        assert_eq!((&header["typ"], &header["alg"]), (&json!("dpop+jwt"), &json!("ES256")));
        assert_eq!((&claims["htm"], &claims["htu"]), (&json!("GET"), &json!("https://x.example/mcp")));
        assert!(claims.get("ath").is_none() && claims.get("nonce").is_none());
        let token = Secret::from("hush");
        let (_, bound) = parts(&proof(Some(&token), Some("n")));
        assert_eq!(bound["ath"], URL_SAFE_NO_PAD.encode(Sha256::digest("hush")));
        assert_eq!(bound["nonce"], "n");
        assert_ne!(bound["jti"], claims["jti"]);
        assert!(header["jwk"].get("d").is_none(), "no private part: {header}");
    }

    #[test]
    fn a_stored_key_signs_like_the_generated_one() {
        let key = ProofKey::generate().unwrap();
        let restored = ProofKey::restore(key.secret()).unwrap();
        let url = Url::parse("https://x.example/").unwrap();
        let proof = restored.proof(&Method::POST, &url, None, None).unwrap();
        let (signed, signature) = proof.to_str().unwrap().rsplit_once('.').unwrap();
        let public = UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, key.pair.public_key());
        public.verify(signed.as_bytes(), &URL_SAFE_NO_PAD.decode(signature).unwrap()).unwrap();
        assert!(!format!("{key:?}").contains(key.secret().expose()));
        for broken in ["", "?", "aGVsbG8"] {
            assert!(ProofKey::restore(&broken.into()).unwrap_err().to_string().contains("P-256"), "{broken}");
        }
    }
}
