//! Checks the redirect of the browser.

use crate::auth::{OAuthError, Secret, discovery::ServerMetadata, error::shown};
use std::borrow::Cow;
use url::Url;

/// The values that a redirect is checked against.
#[derive(Clone, Copy)]
pub(super) struct ExpectedRedirect<'a> {
    pub(super) redirect_uri: &'a Url,
    pub(super) state: &'a str,
    pub(super) server: &'a ServerMetadata,
}

impl ExpectedRedirect<'_> {
    /// Returns the code of a redirect. The sender is checked first, because not even an error of another server is
    /// trusted.
    pub(super) fn code(self, redirect: &Url) -> Result<Secret, OAuthError> {
        let wrong = |problem: &str| Err(OAuthError::Redirect(problem.to_owned()));
        let mut place = redirect.clone();
        place.set_query(self.redirect_uri.query());
        if place != *self.redirect_uri {
            return wrong("expected the redirect URI that was asked for, found another place");
        }
        let one = |name: &str| {
            let mut found = redirect.query_pairs().filter(|(key, _)| key == name).map(|(_, value)| value);
            match (found.next(), found.next()) {
                (value, None) => Ok(value),
                _ => Err(OAuthError::Redirect(format!("expected one {name}, found several"))),
            }
        };
        if one("state")?.as_deref() != Some(self.state) {
            return wrong("expected the state that was sent, found another");
        }
        self.issuer(one("iss")?)?;
        if let Some(error) = one("error")? {
            return Err(OAuthError::Refused {
                what: "authorization",
                by: shown(&self.server.issuer),
                error: shown(&error),
                description: shown(&one("error_description")?.unwrap_or_default()),
            });
        }
        match one("code")? {
            Some(code) if !code.is_empty() => Ok(code.into_owned().into()),
            _ => wrong("expected a code, found none"),
        }
    }

    /// Checks the issuer (RFC 9207) by comparing its text, even if the metadata did not announce the parameter.
    fn issuer(self, found: Option<Cow<'_, str>>) -> Result<(), OAuthError> {
        let expected = &self.server.issuer;
        match found {
            Some(issuer) if issuer == expected.as_str() => Ok(()),
            None if !self.server.names_issuer => Ok(()),
            Some(issuer) => {
                Err(OAuthError::Redirect(format!("expected iss {expected:?}, found {:?}", shown(&issuer))))
            }
            None => Err(OAuthError::Redirect(format!("expected iss {expected:?}, found none"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(names_issuer: bool) -> ServerMetadata {
        ServerMetadata {
            issuer: "https://as.example".to_owned(),
            authorization_endpoint: None,
            token_endpoint: Url::parse("https://as.example/token").unwrap(),
            registration_endpoint: None,
            scopes: None,
            grant_types: None,
            auth_methods: None,
            signing_algorithms: None,
            proof_algorithms: None,
            pkce: true,
            names_issuer,
            takes_documents: false,
        }
    }

    fn code(names_issuer: bool, redirect: &str) -> Result<String, String> {
        let redirect_uri = Url::parse("http://127.0.0.1:5/callback").unwrap();
        let server = server(names_issuer);
        let expected = ExpectedRedirect { redirect_uri: &redirect_uri, state: "s", server: &server };
        let code = expected.code(&Url::parse(redirect).unwrap());
        code.map(|code| code.expose().to_owned()).map_err(|error| error.to_string())
    }

    #[test]
    fn a_code_needs_the_exact_redirect_uri_and_state() {
        assert_eq!(code(false, "http://127.0.0.1:5/callback?code=c&state=s").unwrap(), "c");
        for redirect in [
            "http://127.0.0.1:5/callback/?code=c&state=s",
            "http://127.0.0.1:6/callback?code=c&state=s",
            "https://127.0.0.1:5/callback?code=c&state=s",
            "http://localhost:5/callback?code=c&state=s",
        ] {
            assert!(code(false, redirect).unwrap_err().contains("another place"), "{redirect}");
        }
        for query in ["code=c", "code=c&state=", "code=c&state=S", "code=c&state=s&state=x"] {
            let error = code(false, &format!("http://127.0.0.1:5/callback?{query}")).unwrap_err();
            assert!(error.contains("state"), "{query}: {error}");
        }
        for query in ["state=s", "state=s&code=", "state=s&code=a&code=b"] {
            let error = code(false, &format!("http://127.0.0.1:5/callback?{query}")).unwrap_err();
            assert!(error.contains("code"), "{query}: {error}");
        }
    }

    #[test]
    fn the_issuer_is_compared_exactly_and_required_if_announced() {
        let iss = |names, iss: &str| code(names, &format!("http://127.0.0.1:5/callback?code=c&state=s{iss}"));
        for names in [true, false] {
            assert!(iss(names, "&iss=https://as.example").is_ok());
            for wrong in [
                "https://evil.example",
                "https://as.example/",
                "https://AS.example",
                "https://as.example:443",
                "",
            ] {
                let error = iss(names, &format!("&iss={wrong}")).unwrap_err();
                assert!(error.contains("iss"), "{wrong}: {error}");
            }
        }
        assert!(iss(false, "").is_ok());
        assert!(iss(true, "").unwrap_err().contains("found none"));
        assert!(iss(true, "&iss=https://as.example&iss=https://as.example").is_err());
    }

    #[test]
    fn an_error_needs_the_right_issuer_and_is_truncated() {
        let long = "x".repeat(900);
        let redirect = format!(
            "http://127.0.0.1:5/callback?state=s&iss=https://as.example&error=access_denied&error_description=no%0A{long}"
        );
        let error = code(true, &redirect).unwrap_err();
        assert!(error.contains("access_denied: no x") && error.len() < 500, "{error}");
        let error = code(true, "http://127.0.0.1:5/callback?state=s&error=hush&iss=https://evil.example");
        assert!(!error.unwrap_err().contains("hush"));
    }
}
