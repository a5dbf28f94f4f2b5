//! An authorization server whose signed tokens count.

use super::keys::{KeySet, Source};

/// An authorization server whose signed tokens count, and where its keys are.
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
    /// The issuer of a name, which its tokens bear letter by letter. Its keys are found by its metadata (RFC 8414, or OpenID
    /// Connect Discovery).
    #[must_use]
    pub fn new(id: &str) -> Self {
        Self { id: id.to_owned(), source: Source::Discovered(id.to_owned()), agent_prefix: None }
    }

    /// Its keys are at a URL.
    #[must_use]
    pub fn jwks_url(mut self, url: &str) -> Self {
        self.source = Source::Url(url.to_owned());
        self
    }

    /// Its keys are these, and nothing is fetched: for a machine without a network, and for tests.
    #[must_use]
    pub fn keys(mut self, keys: KeySet) -> Self {
        self.source = Source::Given(keys);
        self
    }

    /// What the ids of its agents begin with; nothing otherwise. Two issuers may give one name to two people, so with several
    /// each must say what it is, if only that it is nothing.
    #[must_use]
    pub fn agent_prefix(mut self, prefix: &str) -> Self {
        self.agent_prefix = Some(prefix.to_owned());
        self
    }
}
