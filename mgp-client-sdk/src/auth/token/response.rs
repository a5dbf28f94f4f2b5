//! The response of a token endpoint.

use crate::auth::{
    OAuthError, Secret,
    clock::now,
    discovery::{read_json, refusal, status},
    dpop::ProofKey,
    error::shown,
    store::Tokens,
};
use http::StatusCode;
use mgp_transport::http::fetch::{FetchResponse, shown_url};
use serde::Deserialize;
use std::time::Duration;

/// The maximum length of a token, in bytes.
const MAX_TOKEN: usize = 64 * 1024;

/// A number of seconds, which some servers write as text.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Seconds {
    Number(f64),
    Text(String),
}

/// The successful response of a token endpoint.
#[derive(Debug, Deserialize)]
pub(in crate::auth) struct TokenResponse {
    pub(in crate::auth) access_token: Secret,
    token_type: String,
    #[serde(default)]
    expires_in: Option<Seconds>,
    #[serde(default)]
    refresh_token: Option<Secret>,
    #[serde(default)]
    pub(in crate::auth) issued_token_type: Option<String>,
}

impl TokenResponse {
    pub(super) fn read(what: &'static str, by: &str, fetched: &FetchResponse) -> Result<Self, OAuthError> {
        match fetched.status {
            StatusCode::OK => {
                let response: Self = read_json(what, fetched)?;
                match response.problem() {
                    None => Ok(response),
                    Some(problem) => Err(OAuthError::Content { what, url: shown_url(&fetched.url), problem }),
                }
            }
            other if other.is_client_error() && other != StatusCode::TOO_MANY_REQUESTS => {
                Err(refusal(what, by, fetched))
            }
            _ => Err(status(what, fetched)),
        }
    }

    /// Returns the problem with the access token, if it is not valid in a header: it would be useless, and could inject headers.
    fn problem(&self) -> Option<String> {
        let token = self.access_token.expose();
        let fits =
            (1..=MAX_TOKEN).contains(&token.len()) && token.bytes().all(|byte| byte.is_ascii_graphic());
        (!fits).then(|| format!("access_token: expected 1 to {MAX_TOKEN} visible ASCII characters"))
    }

    /// Converts the response into tokens for requests, to be renewed `leeway` before their expiry. `key` is the key that the request
    /// proved to possess; the server may still issue a token that is not bound to it.
    pub(in crate::auth) fn into_tokens(
        self,
        what: &'static str,
        by: &str,
        leeway: Duration,
        key: Option<&ProofKey>,
    ) -> Result<Tokens, OAuthError> {
        let key = key.filter(|_| self.token_type.eq_ignore_ascii_case("dpop"));
        if key.is_none() && !self.token_type.eq_ignore_ascii_case("bearer") {
            let problem = format!("expected token_type Bearer, found {:?}", shown(&self.token_type));
            return Err(OAuthError::Unsupported { issuer: shown(by), what, problem });
        }
        let proof_key = key.map(|key| key.secret().clone());
        let seconds = match self.expires_in {
            Some(Seconds::Number(seconds)) => Some(seconds),
            Some(Seconds::Text(text)) => text.trim().parse().ok(),
            None => None,
        };
        // The cast turns a negative number, or NaN, into zero.
        let renew_at = seconds.map(|seconds| renew_at(now(), seconds as u64, leeway));
        Ok(Tokens { access: self.access_token, refresh: self.refresh_token, renew_at, proof_key })
    }
}

/// Returns the time of renewal. A short-lived token is renewed halfway through its life, because otherwise each request would
/// renew it.
fn renew_at(now: u64, lifetime: u64, leeway: Duration) -> u64 {
    now.saturating_add(lifetime - leeway.as_secs().min(lifetime / 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &str) -> Result<Tokens, OAuthError> {
        let response: TokenResponse = serde_json::from_str(body).unwrap();
        response.into_tokens("token", "https://as.example", Duration::from_secs(30), None)
    }

    #[test]
    fn a_token_is_renewed_early_however_short_its_lifetime() {
        let leeway = Duration::from_secs(30);
        assert_eq!(renew_at(1000, 3600, leeway), 4570);
        assert_eq!(renew_at(1000, 40, leeway), 1020);
        assert_eq!(renew_at(1000, 0, leeway), 1000);
        assert_eq!(renew_at(1000, u64::MAX, leeway), u64::MAX);
    }

    #[test]
    fn a_token_that_is_not_a_valid_header_is_refused() {
        let refused = |token: &str| {
            let body = serde_json::json!({ "access_token": token, "token_type": "bearer" });
            serde_json::from_value::<TokenResponse>(body).unwrap().problem().is_some()
        };
        assert!(!refused("a") && !refused(&"x".repeat(MAX_TOKEN)));
        for token in ["", "a b", "a\r\nx: y", "\u{e9}", &"x".repeat(MAX_TOKEN + 1)] {
            assert!(refused(token), "{token:?}");
        }
    }

    #[test]
    fn a_lifetime_may_be_text_and_other_token_types_are_refused() {
        let at = |life: &str| {
            read(&format!(r#"{{"access_token":"a","token_type":"BEARER"{life}}}"#)).unwrap().renew_at
        };
        assert_eq!(at(""), None);
        assert!(at(r#","expires_in":3600"#) >= Some(now()) && at(r#","expires_in":"3600""#) >= Some(now()));
        assert!(at(r#","expires_in":-1"#) <= Some(now()) && at(r#","expires_in":1e300"#) > Some(now()));
        assert_eq!(at(r#","expires_in":"soon""#), None);
        let error = read(r#"{"access_token":"hush","token_type":"DPoP"}"#).unwrap_err().to_string();
        assert!(error.contains("expected token_type Bearer") && !error.contains("hush"), "{error}");
    }
}
