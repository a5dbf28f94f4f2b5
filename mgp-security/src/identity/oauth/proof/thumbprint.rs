//! The thumbprint of a public key (RFC 7638).

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use mgp_types::json::RawObject;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// Returns the SHA-256 thumbprint of a key, as base64url; `None` for a key of an unknown kind.
pub(super) fn thumbprint(jwk: &RawObject) -> Option<String> {
    let text = |name: &str| jwk.text(name).map(Value::from);
    // The required members only, in alphabetical order, without spaces.
    let members: &[&str] = match &*jwk.text("kty")? {
        "EC" => &["crv", "kty", "x", "y"],
        "OKP" => &["crv", "kty", "x"],
        "RSA" => &["e", "kty", "n"],
        _ => return None,
    };
    let parts: Vec<String> =
        members.iter().map(|name| Some(format!("{}:{}", json!(name), text(name)?))).collect::<Option<_>>()?;
    let canonical = format!("{{{}}}", parts.join(","));
    Some(BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(canonical)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_thumbprint_is_that_of_the_required_members() {
        // The example of RFC 7638, section 3.1.
        let jwk = r#"{"kty":"RSA","n":"0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw","e":"AQAB","alg":"RS256","kid":"2011-04-29"}"#;
        let thumbprint = |text: &str| thumbprint(&RawObject::parse(text.to_owned()).unwrap());
        assert_eq!(thumbprint(jwk).as_deref(), Some("NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs"));
        for incomplete in ["{}", r#"{"kty":"oct","k":"x"}"#, r#"{"kty":"EC","crv":"P-256","x":"a"}"#] {
            assert_eq!(thumbprint(incomplete), None, "{incomplete}");
        }
    }
}
