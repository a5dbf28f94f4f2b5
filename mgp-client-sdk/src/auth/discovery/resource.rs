//! The metadata of a protected resource (RFC 9728).

use super::{document, well_known};
use crate::auth::{OAuthError, error::shown};
use mgp_transport::http::fetch::{Fetcher, shown_url};
use serde::Deserialize;
use url::Url;

pub(super) const WHAT: &str = "protected resource metadata";
/// The maximum number of authorization servers of one resource that are considered.
const MAX_SERVERS: usize = 16;

/// The protected resource metadata that a server publishes.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct ResourceMetadata {
    pub(super) resource: String,
    #[serde(default)]
    pub(super) authorization_servers: Vec<String>,
    #[serde(default)]
    pub(super) scopes_supported: Option<Vec<String>>,
}

/// Finds a server's metadata: at the URL that the challenge names, or else at the well-known URLs. Returns `None` if nothing is
/// published at the well-known URLs.
pub(super) async fn find(
    fetcher: &Fetcher,
    server: &Url,
    named: Option<&str>,
) -> Result<Option<ResourceMetadata>, OAuthError> {
    let candidates = match named {
        Some(named) => {
            let url = Url::parse(named).map_err(|error| OAuthError::Setting {
                name: "resource_metadata of the server's challenge",
                problem: format!("expected a URL: {error}"),
            })?;
            vec![url]
        }
        None => well_known::of_resource(server),
    };
    for url in candidates {
        let Some(found) = document::fetch::<ResourceMetadata>(fetcher, WHAT, &url).await? else { continue };
        return check(found, &url, server).map(Some);
    }
    match named {
        // Continuing as if there were none would let a broken document select the older, weaker method.
        Some(named) => Err(OAuthError::NoMetadata { issuer: shown_url(server), tried: shown(named) }),
        None => Ok(None),
    }
}

fn check(mut found: ResourceMetadata, url: &Url, server: &Url) -> Result<ResourceMetadata, OAuthError> {
    if !covers(&found.resource, server) {
        let resource = shown(&found.resource);
        return Err(OAuthError::Resource { url: shown_url(url), found: resource, server: shown_url(server) });
    }
    found.authorization_servers.truncate(MAX_SERVERS);
    if found.authorization_servers.is_empty() {
        let problem = "authorization_servers is empty: expected an issuer".to_owned();
        return Err(OAuthError::Content { what: WHAT, url: shown_url(url), problem });
    }
    Ok(found)
}

/// Returns `true` if `server` belongs to `resource`: it is the same URL, or is below its path.
fn covers(resource: &str, server: &Url) -> bool {
    let Ok(resource) = Url::parse(resource) else { return false };
    if resource.origin() != server.origin() || !resource.origin().is_tuple() || resource.fragment().is_some()
    {
        return false;
    }
    if resource.query().is_some() && resource.query() != server.query() {
        return false;
    }
    let path = resource.path().trim_end_matches('/');
    server.path().strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_matches_its_own_url_and_parent_paths() {
        let server = Url::parse("https://x.example/a/mcp").unwrap();
        for resource in [
            "https://x.example/a/mcp",
            "https://X.example:443/a/mcp/",
            "https://x.example/a",
            "https://x.example",
        ] {
            assert!(covers(resource, &server), "{resource}");
        }
        for resource in [
            "",
            "x.example/a/mcp",
            "https://evil.example/a/mcp",
            "http://x.example/a/mcp",
            "https://x.example:444/a/mcp",
            "https://x.example/a/mc",
            "https://x.example/a/mcp/more",
            "https://x.example/a/mcp?tenant=1",
            "https://x.example/a/mcp#f",
            "https://x.example.evil.example/a/mcp",
        ] {
            assert!(!covers(resource, &server), "{resource}");
        }
    }
}
