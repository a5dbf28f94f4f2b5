//! Finds the authorization server of a server, from the server's challenge.

use super::{ServerMetadata, issuer, resource, same_issuer};
use crate::auth::OAuthError;
use mgp_transport::http::fetch::{Fetcher, shown_url};
use url::Url;

/// A search for the authorization server of a server.
#[derive(Debug, Clone, Copy)]
pub(in crate::auth) struct Discovery<'a> {
    /// The server that requires a token.
    pub(in crate::auth) server: &'a Url,
    /// The URL of the server's metadata, if its challenge contains one.
    pub(in crate::auth) resource_metadata: Option<&'a str>,
    /// The issuers that are preferred if the server names several, in this order.
    pub(in crate::auth) preferred: &'a [&'a str],
    /// True if a server without metadata may be its own authorization server, as in 2025-03-26.
    pub(in crate::auth) old_servers: bool,
}

/// The authorization server that issues tokens for a server, and the resource that they are for.
#[derive(Debug, Clone)]
pub(in crate::auth) struct DiscoveryResult {
    /// The resource that tokens are for, exactly as published; `None` for a server of 2025-03-26.
    pub(in crate::auth) resource: Option<String>,
    /// The scopes that the resource lists.
    pub(in crate::auth) scopes: Option<Vec<String>>,
    pub(in crate::auth) server: ServerMetadata,
}

impl Discovery<'_> {
    /// Runs the search. The result is not cached: a server may change its authorization server at any time.
    pub(in crate::auth) async fn run(self, fetcher: &Fetcher) -> Result<DiscoveryResult, OAuthError> {
        let Some(found) = resource::find(fetcher, self.server, self.resource_metadata).await? else {
            if !self.old_servers {
                let what = "at its well-known places".to_owned();
                return Err(OAuthError::NoMetadata { issuer: shown_url(self.server), tried: what });
            }
            let server = issuer::of_old_server(fetcher, self.server).await?;
            return Ok(DiscoveryResult { resource: None, scopes: None, server });
        };
        let named = &found.authorization_servers;
        let as_named = |issuer: &&str| named.iter().find(|one| same_issuer(one, issuer));
        let chosen = self.preferred.iter().find_map(as_named).or(named.first());
        let chosen = chosen.map(String::as_str).unwrap_or_default();
        let server = issuer::find(fetcher, chosen, self.server).await?;
        Ok(DiscoveryResult { resource: Some(found.resource), scopes: found.scopes_supported, server })
    }
}
