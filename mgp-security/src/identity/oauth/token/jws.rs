//! A signed token, split into its parts (RFC 7515, compact form).

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use mgp_types::json::RawObject;

/// The longest id of a key, in bytes.
const MAX_KID: usize = 256;

/// A signed token, split into its parts. None of the parts may be trusted before the signature is verified.
pub(in super::super) struct Jws<'a> {
    /// The name of the algorithm.
    pub(in super::super) algorithm: String,
    /// The id of the key.
    pub(in super::super) kid: Option<String>,
    /// The part of the token that is signed.
    pub(in super::super) signed: &'a [u8],
    pub(in super::super) signature: Vec<u8>,
    pub(in super::super) claims: RawObject,
    pub(in super::super) header: RawObject,
}

/// The types of access tokens, and the general type, which many authorization servers write.
const TYPES: &[&str] = &["at+jwt", "application/at+jwt", "jwt", "application/jwt"];

/// The type of proofs of possession (RFC 9449).
pub(in super::super) const PROOF_TYPES: &[&str] = &["dpop+jwt"];

impl<'a> Jws<'a> {
    /// Splits a token. Returns `None` if it is not a signed access token, or if it has a critical header, because none are supported.
    pub(in super::super) fn parse(token: &'a str) -> Option<Self> {
        Self::parse_as(token, TYPES)
    }

    /// Splits a signed token of one of these types, as [`parse`](Self::parse) does.
    pub(in super::super) fn parse_as(token: &'a str, types: &[&str]) -> Option<Self> {
        let (signed, signature) = token.rsplit_once('.')?;
        let (header, claims) = signed.split_once('.')?;
        if claims.contains('.') {
            return None;
        }
        let header = RawObject::parse(decode(header)?).ok()?;
        let is_of_type = |typ: String| types.iter().any(|known| typ.eq_ignore_ascii_case(known));
        // Critical headers must be understood, and none are supported.
        if header.get("crit").is_some() || header.get("b64").is_some() {
            return None;
        }
        if header.get("typ").is_some() && !header.text("typ").is_some_and(is_of_type) {
            return None;
        }
        let kid = match header.get("kid") {
            None => None,
            Some(_) => Some(header.text("kid").filter(|kid| kid.len() <= MAX_KID)?),
        };
        Some(Self {
            algorithm: header.text("alg")?,
            kid,
            signed: signed.as_bytes(),
            signature: decode(signature)?,
            claims: RawObject::parse(decode(claims)?).ok()?,
            header,
        })
    }
}

/// Decodes base64url without padding.
pub(in super::super) fn decode(text: &str) -> Option<Vec<u8>> {
    BASE64_URL_SAFE_NO_PAD.decode(text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(header: &str, claims: &str) -> String {
        let encode = |text: &str| BASE64_URL_SAFE_NO_PAD.encode(text);
        format!("{}.{}.{}", encode(header), encode(claims), encode("signature"))
    }

    #[test]
    fn a_token_is_split_into_its_parts() {
        let text = token(r#"{"alg":"ES256","kid":"k","typ":"AT+jwt"}"#, r#"{"sub":"a"}"#);
        let jws = Jws::parse(&text).unwrap();
        assert_eq!((&*jws.algorithm, jws.kid.as_deref()), ("ES256", Some("k")));
        assert_eq!((&*jws.signature, jws.claims.text("sub")), (&b"signature"[..], Some("a".into())));
        assert!(text.as_bytes().starts_with(jws.signed) && !jws.signed.ends_with(b"."));
    }

    #[test]
    fn an_unknown_kind_of_access_token_is_refused() {
        let long = format!(r#"{{"alg":"ES256","kid":"{}"}}"#, "k".repeat(300));
        for header in [
            "{}",
            "[]",
            r#"{"alg":1}"#,
            r#"{"alg":"ES256","alg":"ES256"}"#,
            r#"{"alg":"ES256","crit":["exp"]}"#,
            r#"{"alg":"ES256","b64":false}"#,
            r#"{"alg":"ES256","typ":"dpop+jwt"}"#,
            r#"{"alg":"ES256","typ":null}"#,
            r#"{"alg":"ES256","kid":7}"#,
            &long,
        ] {
            assert!(Jws::parse(&token(header, "{}")).is_none(), "{header}");
        }
        for text in ["", ".", "..", "a.b", "a.b.c.d", "e30=.e30.e30"] {
            assert!(Jws::parse(text).is_none(), "{text}");
        }
        assert!(Jws::parse(&token(r#"{"alg":"ES256"}"#, r#"{"sub":"a","sub":"b"}"#)).is_none());
    }
}
