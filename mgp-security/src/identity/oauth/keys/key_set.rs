//! The keys that an issuer publishes (RFC 7517, section 5).

use super::super::token::Jws;
use super::key::Key;
use mgp_types::{
    json::{RawJson, RawObject},
    oauth::SignatureAlgorithm,
};

/// The most keys of one set that are kept.
const MAX_KEYS: usize = 100;

/// The public keys of an issuer.
///
/// ```
/// use mgp_security::identity::oauth::KeySet;
/// let keys = KeySet::parse(br#"{"keys":[{"kty":"OKP","crv":"Ed25519","kid":"k","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}"#)?;
/// assert_eq!(keys.len(), 1);
/// # Ok::<(), mgp_security::identity::oauth::InvalidKeySet>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct KeySet(Vec<Key>);

/// The error returned when a text is not a key set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("invalid key set: expected a JSON object with a list of keys in \"keys\"")]
pub struct InvalidKeySet;

impl KeySet {
    /// Reads a key set. Keys that no supported algorithm uses, such as secret keys, are skipped.
    ///
    /// # Errors
    /// [`InvalidKeySet`].
    pub fn parse(json: &[u8]) -> Result<Self, InvalidKeySet> {
        let set = RawObject::parse(json.to_vec()).map_err(|_| InvalidKeySet)?;
        let keys: Vec<RawJson> = set.decode("keys").ok().flatten().ok_or(InvalidKeySet)?;
        let objects = keys.iter().filter_map(|key| RawObject::from_json(key).ok());
        Ok(Self(objects.filter_map(|jwk| Key::read(&jwk)).take(MAX_KEYS).collect()))
    }

    /// Returns the number of keys.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns `true` if there are no keys.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns whether the signature of a token is valid, or `None` if no key can have made it. If the token names no key, only one
    /// key of the set may fit.
    pub(in super::super) fn verify(&self, algorithm: SignatureAlgorithm, token: &Jws<'_>) -> Option<bool> {
        let kid = token.kid.as_deref();
        let fitting: Vec<_> = self.0.iter().filter(|key| key.fits(algorithm, kid)).collect();
        if fitting.is_empty() || (kid.is_none() && fitting.len() > 1) {
            return None;
        }
        Some(fitting.iter().any(|key| key.verifies(algorithm, token.signed, &token.signature)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_check_no_signatures_are_skipped() {
        let set = br#"{"keys":[
            {"kty":"oct","kid":"a","k":"c2VjcmV0"},
            {"kty":"RSA","kid":"b","use":"enc","n":"AQAB","e":"AQAB"},
            {"kty":"RSA","kid":"c","alg":"HS256","n":"AQAB","e":"AQAB"},
            {"kty":"RSA","kid":"d","alg":"RSA-OAEP","n":"AQAB","e":"AQAB"},
            {"kty":"RSA","kid":"e","key_ops":["encrypt"],"n":"AQAB","e":"AQAB"},
            {"kty":"EC","crv":"P-256","kid":"f","x":"AQAB","y":"AQAB"},
            {"kty":"EC","crv":"secp256k1","kid":"g","x":"AQAB","y":"AQAB"},
            {"kty":"RSA","kid":"h","e":"AQAB"},
            7,
            {"kty":"RSA","kid":"kept","use":"sig","n":"AQAB","e":"AQAB"}
        ]}"#;
        let keys = KeySet::parse(set).unwrap();
        assert_eq!(format!("{keys:?}"), r#"KeySet([Key(Some("kept"))])"#);
    }

    #[test]
    fn an_invalid_key_set_is_an_error_and_an_empty_one_is_not() {
        for text in ["", "[]", "{}", r#"{"keys":{}}"#, "<html>"] {
            assert_eq!(KeySet::parse(text.as_bytes()), Err(InvalidKeySet), "{text}");
        }
        assert!(KeySet::parse(br#"{"keys":[]}"#).unwrap().is_empty());
    }
}
