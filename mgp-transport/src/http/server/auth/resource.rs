//! The public URL of a server.

use http::Uri;
use std::{fmt, net::SocketAddr, str::FromStr};

/// The path of the metadata of a resource (RFC 9728, section 3).
pub(in crate::http::server) const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";

/// The longest URL of a resource, in bytes.
const MAX_LENGTH: usize = 2048;

/// The URL that clients know a server's endpoint by, and that tokens for it name as their audience (RFC 8707).
///
/// ```
/// use mgp_transport::http::server::ResourceUrl;
/// let url: ResourceUrl = "https://tools.example/mcp".parse()?;
/// assert_eq!(url.metadata_url(), "https://tools.example/.well-known/oauth-protected-resource/mcp");
/// assert!("https://tools.example/mcp?token=1".parse::<ResourceUrl>().is_err());
/// # Ok::<(), mgp_transport::http::server::InvalidResourceUrl>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResourceUrl {
    text: String,
    /// The length of scheme and authority, in bytes; the rest is the path.
    origin: usize,
    host: String,
}

/// A text that cannot be the URL of a resource.
#[derive(Debug, Clone, thiserror::Error)]
#[error(
    "invalid URL of a resource: expected http or https with a host, and no user name, query or fragment, found {0:?}"
)]
pub struct InvalidResourceUrl(String);

impl ResourceUrl {
    /// Creates the URL of an endpoint on an address.
    pub(in crate::http::server) fn on(address: SocketAddr, path: &str) -> Result<Self, InvalidResourceUrl> {
        format!("http://{address}{path}").parse()
    }

    /// Returns the URL as it was given. Audiences are compared with it byte by byte.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the host, with the port if one is given.
    pub(in crate::http::server) fn host(&self) -> &str {
        &self.host
    }

    /// Returns the path; empty if there is none.
    pub(super) fn path(&self) -> &str {
        self.text[self.origin..].trim_end_matches('/')
    }

    /// Returns the URL of the resource's metadata.
    #[must_use]
    pub fn metadata_url(&self) -> String {
        format!("{}{WELL_KNOWN}{}", &self.text[..self.origin], self.path())
    }
}

impl FromStr for ResourceUrl {
    type Err = InvalidResourceUrl;

    fn from_str(text: &str) -> Result<Self, InvalidResourceUrl> {
        let read = || {
            // In a header, the URL is in quotes.
            let plain = |byte: u8| byte.is_ascii_graphic() && !b"\"\\<>?#@".contains(&byte);
            if text.len() > MAX_LENGTH || !text.bytes().all(plain) {
                return None;
            }
            let uri: Uri = text.parse().ok()?;
            let scheme = uri.scheme_str().filter(|scheme| matches!(*scheme, "http" | "https"))?;
            let authority = uri.authority().filter(|authority| !authority.host().is_empty())?;
            let origin = scheme.len() + "://".len() + authority.as_str().len();
            let host = authority.as_str().to_owned();
            text.is_char_boundary(origin).then(|| Self { text: text.to_owned(), origin, host })
        };
        read().ok_or_else(|| InvalidResourceUrl(text.chars().take(100).collect()))
    }
}

impl fmt::Display for ResourceUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_metadata_path_is_inserted_after_the_host() {
        for (url, metadata) in [
            ("https://a.example", "https://a.example/.well-known/oauth-protected-resource"),
            ("https://a.example/", "https://a.example/.well-known/oauth-protected-resource"),
            (
                "https://a.example:8443/x/mcp",
                "https://a.example:8443/.well-known/oauth-protected-resource/x/mcp",
            ),
            ("http://[::1]:7/mcp", "http://[::1]:7/.well-known/oauth-protected-resource/mcp"),
        ] {
            let url: ResourceUrl = url.parse().unwrap();
            assert_eq!(url.metadata_url(), metadata);
        }
        let own = ResourceUrl::on(([127, 0, 0, 1], 8080).into(), "/mcp").unwrap();
        assert_eq!((own.as_str(), own.host()), ("http://127.0.0.1:8080/mcp", "127.0.0.1:8080"));
    }

    #[test]
    fn an_invalid_resource_url_is_refused() {
        for text in [
            "",
            "/mcp",
            "a.example/mcp",
            "ftp://a.example/",
            "https:///mcp",
            "https://u:p@a.example/",
            "https://a.example/?x",
            "https://a.example/#x",
            "https://a.example/\"",
            "https://a.example/ b",
            "https://ä.example/",
            &format!("https://a.example/{}", "x".repeat(3000)),
        ] {
            assert!(text.parse::<ResourceUrl>().is_err(), "{text}");
        }
    }
}
