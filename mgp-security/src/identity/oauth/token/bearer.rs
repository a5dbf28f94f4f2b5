//! The token of a request, only from the `Authorization` header (RFC 6750, section 2.1).

use http::{HeaderMap, header::AUTHORIZATION};
use mgp_transport::seam::CredentialError;

/// The longest token that is read, in bytes.
const MAX_TOKEN: usize = 16 * 1024;

/// The token of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) struct PresentedToken<'a> {
    pub(in super::super) token: &'a str,
    /// True if the request has a proof of possession with the token (RFC 9449).
    pub(in super::super) is_proved: bool,
}

/// Returns the token of a request.
///
/// # Errors
/// [`CredentialError`] if there is no valid token, or more than one.
pub(in super::super) fn presented(headers: &HeaderMap) -> Result<PresentedToken<'_>, CredentialError> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let value = match (values.next(), values.next()) {
        (None, _) => return Err(CredentialError::missing()),
        (Some(value), None) => value.to_str().unwrap_or_default(),
        (Some(_), Some(_)) => {
            return Err(CredentialError::InvalidRequest("more than one Authorization header".into()));
        }
    };
    let (scheme, token) = value.split_once(' ').unwrap_or((value, ""));
    let is_proved = scheme.eq_ignore_ascii_case("dpop");
    if !is_proved && !scheme.eq_ignore_ascii_case("bearer") {
        return Err(CredentialError::missing());
    }
    let token = token.trim();
    if token.len() > MAX_TOKEN {
        let message = format!("the token is too long: expected at most {MAX_TOKEN} bytes");
        return Err(CredentialError::InvalidRequest(message.into()));
    }
    let legal = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~+/=".contains(&byte);
    if token.is_empty() || !token.bytes().all(legal) {
        return Err(CredentialError::InvalidRequest("the Authorization header holds no token".into()));
    }
    Ok(PresentedToken { token, is_proved })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(values: &[&str]) -> Result<String, CredentialError> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(AUTHORIZATION, value.parse().unwrap());
        }
        presented(&headers).map(|presented| presented.token.to_owned())
    }

    #[test]
    fn the_token_follows_the_scheme_in_any_case() {
        for value in ["Bearer a.b-c_d~e+f/g==", "bearer  a.b-c_d~e+f/g=="] {
            assert_eq!(read(&[value]).unwrap(), "a.b-c_d~e+f/g==");
        }
    }

    #[test]
    fn anything_but_a_single_token_is_refused() {
        for values in [&[][..], &["Basic YTpi"], &["token"]] {
            assert!(matches!(read(values), Err(CredentialError::Missing { .. })), "{values:?}");
        }
        let long = format!("Bearer {}", "a".repeat(MAX_TOKEN + 1));
        for values in [&["Bearer a", "Bearer a"][..], &["Bearer"], &["Bearer a b"], &["Bearer a,b"], &[&long]]
        {
            assert!(matches!(read(values), Err(CredentialError::InvalidRequest(_))), "{values:?}");
        }
    }

    #[test]
    fn the_scheme_says_whether_there_is_a_proof() {
        for (value, is_proved) in [("Bearer a", false), ("DPoP a", true), ("dpop a", true)] {
            let headers = HeaderMap::from_iter([(AUTHORIZATION, value.parse().unwrap())]);
            assert_eq!(presented(&headers).unwrap(), PresentedToken { token: "a", is_proved });
        }
    }
}
