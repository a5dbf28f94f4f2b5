//! The claims of a verified token.

use mgp_transport::seam::{CredentialError, Scopes};
use mgp_types::json::RawObject;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The most names in one claim that are read.
const MAX_NAMES: usize = 1000;

/// The claims of a verified token.
#[derive(Debug, Clone)]
pub(super) struct Claims(pub(super) RawObject);

/// The values that a token's claims are checked against.
pub(super) struct ExpectedClaims<'a> {
    pub(super) issuer: &'a str,
    /// The names of this server. The token must be meant for one of them.
    pub(super) audiences: &'a [&'a str],
    /// The largest difference between clocks.
    pub(super) leeway: Duration,
    pub(super) now: SystemTime,
    /// True if the issuer itself confirmed the token. Then the claims need neither the issuer's name nor the time of expiry.
    pub(super) vouched: bool,
}

impl Claims {
    /// Refuses a token of another issuer, for another server, or not valid at this time. Returns the time at which
    /// the token expires, including the leeway.
    pub(super) fn check(&self, expected: &ExpectedClaims<'_>) -> Result<Option<SystemTime>, CredentialError> {
        let refused = |reason: &'static str| Err(CredentialError::invalid_token(reason));
        let nameless = expected.vouched && self.0.get("iss").is_none();
        if !nameless && self.0.text("iss").as_deref() != Some(expected.issuer) {
            return refused("the token is of another issuer (iss)");
        }
        let audiences = self.names("aud");
        if !audiences.iter().any(|audience| expected.audiences.contains(&audience.as_str())) {
            return refused("the token is meant for another server (aud)");
        }
        let latest = expected.now.checked_add(expected.leeway).unwrap_or(expected.now);
        let (not_before, issued) = (self.time("nbf")?, self.time("iat")?);
        if not_before.is_some_and(|from| from > latest) || issued.is_some_and(|issued| issued > latest) {
            return refused("the token is not valid yet (nbf, iat)");
        }
        let Some(expires) = self.time("exp")? else {
            let endless = || refused("the token has no time of expiry (exp)");
            return if expected.vouched { Ok(None) } else { endless() };
        };
        let last = expires.checked_add(expected.leeway).unwrap_or(expires);
        if last <= expected.now {
            return Err(CredentialError::expired_token("the token has expired (exp)"));
        }
        Ok(Some(last))
    }

    /// Returns whether the token is bound to a key.
    pub(super) fn is_bound(&self) -> bool {
        self.0.get("cnf").is_some()
    }

    /// Returns the thumbprint of the key that the token is bound to; `None` if it is bound in another way, or not at all.
    pub(super) fn key_thumbprint(&self) -> Option<String> {
        self.0.object("cnf")?.text("jkt")
    }

    /// Returns the scopes of the token.
    pub(super) fn scopes(&self) -> Scopes {
        let claim = if self.0.get("scope").is_some() { "scope" } else { "scp" };
        self.names(claim).iter().flat_map(|names| names.split(' ')).take(MAX_NAMES).collect()
    }

    /// Returns the texts of a claim that is one text or a list of texts, and an empty list for any other claim.
    pub(super) fn names(&self, claim: &str) -> Vec<String> {
        let Some(value) = self.0.get(claim) else { return Vec::new() };
        match value.to_text() {
            Some(text) => vec![text],
            None => value.decode::<Vec<String>>().unwrap_or_default().into_iter().take(MAX_NAMES).collect(),
        }
    }

    /// Reads a claim that is a point in time, in seconds since 1970.
    fn time(&self, claim: &str) -> Result<Option<SystemTime>, CredentialError> {
        let malformed = || CredentialError::invalid_token(format!("the token's {claim} is not a time"));
        let Some(value) = self.0.get(claim) else { return Ok(None) };
        let seconds = value.decode::<f64>().map_err(|_| malformed())?;
        let since = Duration::try_from_secs_f64(seconds).map_err(|_| malformed())?;
        UNIX_EPOCH.checked_add(since).map(Some).ok_or_else(malformed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(claims: &str) -> Result<(), String> {
        let claims = Claims(RawObject::parse(claims.to_owned()).unwrap());
        let expected = ExpectedClaims {
            issuer: "https://a",
            audiences: &["https://here/mcp"],
            leeway: Duration::from_secs(60),
            now: UNIX_EPOCH + Duration::from_secs(1000),
            vouched: false,
        };
        claims.check(&expected).map(|_| ()).map_err(|denied| denied.to_string())
    }

    fn with(more: &str) -> String {
        format!(r#"{{"iss":"https://a","aud":"https://here/mcp",{more}}}"#)
    }

    #[test]
    fn clocks_may_differ_by_the_leeway_and_no_more() {
        for more in [
            r#""exp":1001"#,
            r#""exp":941"#,
            r#""exp":940.5"#,
            r#""exp":1001,"nbf":1060,"iat":1060"#,
            r#""exp":9e10"#,
        ] {
            assert_eq!(check(&with(more)), Ok(()), "{more}");
        }
        for (more, said) in [
            (r#""exp":940"#, "has expired"),
            (r#""exp":0"#, "has expired"),
            (r#""exp":1001,"nbf":1061"#, "not valid yet"),
            (r#""exp":1001,"iat":1061"#, "not valid yet"),
            (r#""sub":"x""#, "has no time of expiry"),
        ] {
            assert!(check(&with(more)).unwrap_err().contains(said), "{more}");
        }
    }

    #[test]
    fn an_invalid_time_does_not_count_as_missing() {
        for time in ["null", "\"2000\"", "-1", "[]", "1e300", "true"] {
            for claim in ["exp", "nbf", "iat"] {
                let more = format!(r#""{claim}":{time},"x":1"#);
                let error = check(&with(&more)).unwrap_err();
                assert!(error.contains("is not a time"), "{more}: {error}");
            }
        }
    }

    #[test]
    fn issuer_and_audience_are_compared_exactly() {
        for (iss, aud, said) in [
            (r#""https://a/""#, r#""https://here/mcp""#, "issuer"),
            (r#"["https://a"]"#, r#""https://here/mcp""#, "issuer"),
            (r#""https://a""#, r#""https://here/mcp/""#, "meant for another"),
            (r#""https://a""#, r#""https://here""#, "meant for another"),
            (r#""https://a""#, r#"[]"#, "meant for another"),
            (r#""https://a""#, r#"["https://here/mcp",7]"#, "meant for another"),
            (r#""https://a""#, "null", "meant for another"),
        ] {
            let error = check(&format!(r#"{{"iss":{iss},"aud":{aud},"exp":1001}}"#)).unwrap_err();
            assert!(error.contains(said), "{iss} {aud}: {error}");
        }
        assert_eq!(check(r#"{"iss":"https://a","aud":["x","https://here/mcp"],"exp":1001}"#), Ok(()));
    }

    #[test]
    fn scopes_are_a_text_or_a_list_under_either_name() {
        for claims in [
            r#"{"scope":"a b"}"#,
            r#"{"scp":["a","b"]}"#,
            r#"{"scp":"b a"}"#,
            r#"{"scope":["a b"],"scp":"c"}"#,
        ] {
            let claims = Claims(RawObject::parse(claims.to_owned()).unwrap());
            assert_eq!(claims.scopes().to_string(), "a b");
        }
        assert!(Claims(RawObject::parse(r#"{"scope":7}"#.to_owned()).unwrap()).scopes().is_empty());
    }
}
