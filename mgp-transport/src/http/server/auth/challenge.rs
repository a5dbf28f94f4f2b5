//! The challenge to a client whose credentials are rejected: that of RFC 6750, with the pointer of RFC 9728.

use super::ResourceUrl;
use crate::{
    http::server::{DenialReason, refusal::Refusal},
    seam::{CredentialError, Scopes},
};
use http::{
    HeaderValue, StatusCode,
    header::{RETRY_AFTER, WWW_AUTHENTICATE},
};
use mgp_types::{error::ErrorCode, rpc::ErrorObject};

impl Refusal {
    /// Creates the refusal for rejected credentials: its status, challenge and error.
    pub(super) fn denied(denied: CredentialError, resource: Option<&ResourceUrl>) -> Self {
        let message = denied.to_string();
        let (reason, status, error, code, scopes) = match denied {
            CredentialError::Missing { scopes } => {
                let error = ErrorCode::AuthRequired.error(&message);
                (DenialReason::MissingCredentials, StatusCode::UNAUTHORIZED, error, None, scopes)
            }
            CredentialError::InvalidRequest(_) => {
                let error = ErrorObject::invalid_request(&message);
                let code = Some("invalid_request");
                (DenialReason::InvalidRequest, StatusCode::BAD_REQUEST, error, code, Scopes::default())
            }
            CredentialError::InvalidToken { scopes, .. } => {
                let error = ErrorCode::AuthRequired.error(&message);
                (DenialReason::InvalidToken, StatusCode::UNAUTHORIZED, error, Some("invalid_token"), scopes)
            }
            CredentialError::InvalidProof { scopes, .. } => {
                let error = ErrorCode::AuthRequired.error(&message);
                let code = Some("invalid_dpop_proof");
                (DenialReason::InvalidToken, StatusCode::UNAUTHORIZED, error, code, scopes)
            }
            CredentialError::ExpiredToken { scopes, .. } => {
                let error = ErrorCode::AuthExpired.error(&message);
                (DenialReason::ExpiredToken, StatusCode::UNAUTHORIZED, error, Some("invalid_token"), scopes)
            }
            CredentialError::InsufficientScope { scopes, .. } => {
                let error = ErrorCode::PermissionDenied.error(&message);
                let code = Some("insufficient_scope");
                (DenialReason::InsufficientScope, StatusCode::FORBIDDEN, error, code, scopes)
            }
            CredentialError::Unavailable { retry_after, .. } => {
                let error = ErrorCode::UpstreamUnavailable.error_unsent(message).to_plain_mcp();
                let wait = HeaderValue::from(retry_after.as_secs().max(1));
                return Self::with(StatusCode::SERVICE_UNAVAILABLE, error).header(RETRY_AFTER, wait);
            }
        };
        let challenge = challenge(resource, code.map(|code| (code, &*message)), &scopes);
        Self::with(status, error.to_plain_mcp()).header(WWW_AUTHENTICATE, challenge).because(reason)
    }
}

fn challenge(resource: Option<&ResourceUrl>, error: Option<(&str, &str)>, scopes: &Scopes) -> HeaderValue {
    let mut parts = Vec::new();
    if let Some((code, description)) = error {
        parts.push(format!("error=\"{code}\""));
        parts.push(format!("error_description=\"{}\"", quotable(description)));
    }
    if !scopes.is_empty() {
        parts.push(format!("scope=\"{scopes}\""));
    }
    if let Some(resource) = resource {
        parts.push(format!("resource_metadata=\"{}\"", resource.metadata_url()));
    }
    let scheme = if error.is_some_and(|(code, _)| code == "invalid_dpop_proof") { "DPoP" } else { "Bearer" };
    let text = format!("{scheme} {}", parts.join(", "));
    HeaderValue::from_str(text.trim_end()).unwrap_or(HeaderValue::from_static("Bearer"))
}

/// Replaces the characters that RFC 6750 does not allow in a description.
fn quotable(text: &str) -> String {
    let plain = |c: char| (c == ' ' || c.is_ascii_graphic()) && c != '"' && c != '\\';
    text.chars().map(|c| if plain(c) { c } else { '\'' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn refused(denied: CredentialError) -> (u16, String, String) {
        let url: ResourceUrl = "https://a.example/mcp".parse().unwrap();
        let refusal = Refusal::denied(denied, Some(&url));
        let header = |name| {
            let value = refusal.headers.as_ref().and_then(|headers| headers.get(name));
            value.map_or(String::new(), |value| value.to_str().unwrap().to_owned())
        };
        (refusal.status.as_u16(), header(WWW_AUTHENTICATE), header(RETRY_AFTER))
    }

    const METADATA: &str =
        r#"resource_metadata="https://a.example/.well-known/oauth-protected-resource/mcp""#;

    #[test]
    fn a_request_without_a_token_gets_a_pointer_and_no_error() {
        let needed = Scopes::parse("mcp");
        let (status, challenge, _) = refused(CredentialError::missing().asking_for(&needed));
        assert_eq!((status, challenge), (401, format!(r#"Bearer scope="mcp", {METADATA}"#)));
    }

    #[test]
    fn a_token_s_fault_is_described_in_plain_characters() {
        let (status, challenge, _) = refused(CredentialError::invalid_token("the \"kid\"\r\nis ünknown"));
        let said = r#"error="invalid_token", error_description="the 'kid'''is 'nknown""#;
        assert_eq!((status, challenge), (401, format!("Bearer {said}, {METADATA}")));
    }

    #[test]
    fn an_expired_token_differs_from_an_invalid_one() {
        let refused = |denied| Refusal::denied(denied, None);
        let (expired, invalid) =
            (refused(CredentialError::expired_token("old")), refused(CredentialError::invalid_token("bad")));
        assert_eq!((expired.status, invalid.status), (StatusCode::UNAUTHORIZED, StatusCode::UNAUTHORIZED));
        let reasons = [&expired, &invalid].map(|refusal| refusal.denial.map(DenialReason::as_str));
        assert_eq!(reasons, [Some("expired_token"), Some("invalid_token")]);
        assert_eq!(expired.headers, refused(CredentialError::invalid_token("old")).headers);
    }

    #[test]
    fn an_insufficient_scope_is_a_403_that_names_the_needed_one() {
        let (status, challenge, _) =
            refused(CredentialError::insufficient_scope("more", Scopes::parse("b a")));
        let said = r#"error="insufficient_scope", error_description="more", scope="a b""#;
        assert_eq!((status, challenge), (403, format!("Bearer {said}, {METADATA}")));
    }

    #[test]
    fn a_failure_to_judge_is_not_the_token_s_fault() {
        let (status, challenge, retry) =
            refused(CredentialError::unavailable("down", Duration::from_secs(7)));
        assert_eq!((status, &*challenge, &*retry), (503, "", "7"));
    }
}
