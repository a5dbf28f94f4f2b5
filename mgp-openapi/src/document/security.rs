//! The kinds of authentication that a document names.

use super::References;
use serde_json::Value;

/// A way to authenticate that a document names. The credentials are the caller's to add to a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecurityScheme {
    /// The name of the scheme in the document.
    pub name: String,
    /// The kind of the credentials, and their place in a request.
    pub kind: SecurityKind,
}

/// A kind of credentials.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SecurityKind {
    /// A token in the header `Authorization: Bearer`.
    Bearer,
    /// A name and a password in the header `Authorization: Basic`.
    Basic,
    /// Another scheme of the header `Authorization`, by its name in lower case.
    Authorization(String),
    /// A key in a header.
    HeaderKey {
        /// The name of the header.
        header: String,
    },
    /// A key in the query.
    QueryKey {
        /// The name of the query parameter.
        parameter: String,
    },
    /// A key in a cookie.
    CookieKey {
        /// The name of the cookie.
        cookie: String,
    },
    /// A token of OAuth 2.0 or OpenID Connect, in the header `Authorization: Bearer`.
    OAuth2,
    /// A certificate of the client.
    MutualTls,
}

impl SecurityKind {
    /// Returns the name of the header that holds the credentials, if a header does.
    #[must_use]
    pub fn header(&self) -> Option<&str> {
        match self {
            Self::Bearer | Self::Basic | Self::Authorization(_) | Self::OAuth2 => Some("Authorization"),
            Self::HeaderKey { header } => Some(header),
            Self::CookieKey { .. } => Some("Cookie"),
            Self::QueryKey { .. } | Self::MutualTls => None,
        }
    }
}

/// Returns the schemes of a document.
pub(super) fn schemes(root: &Value) -> Vec<SecurityScheme> {
    let references = References::new(root);
    let schemes = root.pointer("/components/securitySchemes").and_then(Value::as_object);
    let read = |(name, scheme): (&String, _)| {
        Some(SecurityScheme { name: name.clone(), kind: kind(references.follow(scheme).ok()?)? })
    };
    schemes.into_iter().flatten().filter_map(read).collect()
}

fn kind(scheme: &Value) -> Option<SecurityKind> {
    let text = |name: &str| scheme.get(name).and_then(Value::as_str).map(str::to_owned);
    Some(match text("type")?.as_str() {
        "http" => match text("scheme")?.to_ascii_lowercase().as_str() {
            "bearer" => SecurityKind::Bearer,
            "basic" => SecurityKind::Basic,
            other => SecurityKind::Authorization(other.to_owned()),
        },
        "apiKey" => match text("in")?.as_str() {
            "header" => SecurityKind::HeaderKey { header: text("name")? },
            "query" => SecurityKind::QueryKey { parameter: text("name")? },
            "cookie" => SecurityKind::CookieKey { cookie: text("name")? },
            _ => return None,
        },
        "oauth2" | "openIdConnect" => SecurityKind::OAuth2,
        "mutualTLS" => SecurityKind::MutualTls,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn each_kind_of_credentials_is_recognized() {
        let cases = [
            (json!({"type": "http", "scheme": "Bearer"}), Some(SecurityKind::Bearer)),
            (json!({"type": "http", "scheme": "basic"}), Some(SecurityKind::Basic)),
            (json!({"type": "http", "scheme": "Digest"}), Some(SecurityKind::Authorization("digest".into()))),
            (
                json!({"type": "apiKey", "in": "header", "name": "X-Key"}),
                Some(SecurityKind::HeaderKey { header: "X-Key".into() }),
            ),
            (
                json!({"type": "apiKey", "in": "query", "name": "key"}),
                Some(SecurityKind::QueryKey { parameter: "key".into() }),
            ),
            (
                json!({"type": "apiKey", "in": "cookie", "name": "sid"}),
                Some(SecurityKind::CookieKey { cookie: "sid".into() }),
            ),
            (json!({"type": "oauth2", "flows": {}}), Some(SecurityKind::OAuth2)),
            (json!({"type": "openIdConnect"}), Some(SecurityKind::OAuth2)),
            (json!({"type": "mutualTLS"}), Some(SecurityKind::MutualTls)),
            (json!({"type": "apiKey"}), None),
        ];
        for (scheme, expected) in cases {
            let root = json!({"components": {"securitySchemes": {"a": {"$ref": "#/b"}}}, "b": scheme});
            let kind = schemes(&root).pop().map(|scheme| scheme.kind);
            assert_eq!(kind, expected, "{root}");
        }
        assert_eq!(SecurityKind::OAuth2.header(), Some("Authorization"));
    }
}
