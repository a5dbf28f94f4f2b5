//! An authorization server whose signed tokens are accepted.

use super::keys::{KeySet, Source};

/// An authorization server whose signed tokens are accepted, and the source of its keys.
///
/// ```
/// use mgp_security::identity::oauth::Issuer;
/// let found_by_its_metadata = Issuer::new("https://auth.example");
/// let known = Issuer::new("https://auth.example/realms/a").jwks_url("https://auth.example/realms/a/keys");
/// ```
#[derive(Debug, Clone)]
pub struct Issuer {
    pub(super) id: String,
    pub(super) source: Source,
    pub(super) agent_prefix: Option<String>,
}

impl Issuer {
    /// Creates an issuer by its name, which its tokens must state exactly. Its keys are found through its metadata
    /// (RFC 8414, or OpenID Connect Discovery).
    #[must_use]
    pub fn new(id: &str) -> Self {
        Self { id: id.to_owned(), source: Source::Discovered(id.to_owned()), agent_prefix: None }
    }

    /// Sets the URL of the issuer's keys.
    #[must_use]
    pub fn jwks_url(mut self, url: &str) -> Self {
        self.source = Source::Url(url.to_owned());
        self
    }

    /// Sets the issuer's keys, so that nothing is fetched: for a machine without a network, and for tests.
    #[must_use]
    pub fn keys(mut self, keys: KeySet) -> Self {
        self.source = Source::Given(keys);
        self
    }

    /// Sets the prefix of the ids of the issuer's agents. By default, there is none. Two issuers may give the same name to two
    /// people, so with several issuers, each must have a prefix, which may be empty.
    #[must_use]
    pub fn agent_prefix(mut self, prefix: &str) -> Self {
        self.agent_prefix = Some(prefix.to_owned());
        self
    }
}
