//! Checks proofs of possession (RFC 9449), by hand.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use http::HeaderMap;
use ring::signature::{ECDSA_P256_SHA256_FIXED, UnparsedPublicKey};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;

/// The request that a proof is for.
pub(super) struct ProvenRequest<'a> {
    pub(super) method: &'a str,
    pub(super) url: &'a str,
    pub(super) token: Option<&'a str>,
    pub(super) nonce: Option<&'a str>,
}

impl ProvenRequest<'_> {
    /// Returns the coordinates of the key that the proof proves possession of. `used` has the ids of earlier proofs.
    pub(super) fn key(&self, headers: &HeaderMap, used: &mut BTreeSet<String>) -> Result<String, String> {
        let mut proofs = headers.get_all("dpop").iter();
        let proof = proofs.next().ok_or("no proof")?.to_str().unwrap();
        assert!(proofs.next().is_none(), "two proofs");
        let (signed, signature) = proof.rsplit_once('.').unwrap();
        let (header, claims) = signed.split_once('.').unwrap();
        let decode = |part: &str| URL_SAFE_NO_PAD.decode(part).unwrap();
        let json = |part: &str| serde_json::from_slice::<Value>(&decode(part)).unwrap();
        let (header, claims) = (json(header), json(claims));
        assert_eq!((&header["typ"], &header["alg"]), (&"dpop+jwt".into(), &"ES256".into()));
        let coordinate = |name: &str| decode(header["jwk"][name].as_str().unwrap());
        let point = [vec![4], coordinate("x"), coordinate("y")].concat();
        let key = UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point);
        key.verify(signed.as_bytes(), &decode(signature)).unwrap();
        let hash = self.token.map(|token| URL_SAFE_NO_PAD.encode(Sha256::digest(token)));
        let is_right = claims["htm"] == self.method
            && claims["htu"] == self.url
            && claims.get("ath").and_then(Value::as_str) == hash.as_deref()
            && claims["iat"].is_u64()
            && used.insert(claims["jti"].as_str().unwrap().to_owned());
        if !is_right {
            return Err(format!("not for this request: {claims}"));
        }
        if claims.get("nonce").and_then(Value::as_str) != self.nonce {
            return Err("use_dpop_nonce".to_owned());
        }
        Ok(header["jwk"]["x"].as_str().unwrap().to_owned())
    }
}
