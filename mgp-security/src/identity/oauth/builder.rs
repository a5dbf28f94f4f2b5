//! The builder of a resource server.

use super::{
    Introspection, Issuer, KeyTimes, ResourceServer,
    introspection::Introspector,
    keys::{KeyCache, Source},
    proof::{UsedProofs, algorithms},
    resource_server::KnownIssuer,
    rules::Rules,
    subject::Subject,
};
use http::Uri;
use mgp_transport::seam::{Fetch, ResourceMetadata, Scopes, is_scope};
use mgp_types::oauth::SignatureAlgorithm;
use std::{collections::BTreeSet, sync::Arc, time::Duration};

/// A builder of a [`ResourceServer`]. Start with [`ResourceServer::builder`].
#[derive(Debug)]
pub struct ResourceServerBuilder {
    issuers: Vec<Issuer>,
    introspection: Option<Introspection>,
    fetch: Option<Arc<dyn Fetch>>,
    key_times: KeyTimes,
    algorithms: Vec<SignatureAlgorithm>,
    audiences: Vec<String>,
    leeway: Duration,
    rules: Rules,
    subject: Subject,
    name: Option<String>,
    documentation: Option<String>,
    /// The first text that was given as a scope but is not one.
    no_scope: Option<String>,
}

/// The error returned when a resource server cannot be built.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidResourceServer {
    /// There is no issuer, so no token could ever be accepted.
    #[error("no issuer: expected at least one whose tokens are accepted")]
    NoIssuer,
    /// The name of an issuer is invalid.
    #[error("invalid issuer: expected a URL of https or http without a query, found {0:?}")]
    Issuer(String),
    /// An issuer is named twice.
    #[error("the issuer {0:?} is given twice: expected each once")]
    SameIssuer(String),
    /// An issuer has no agent prefix, so two issuers could give the same name to two agents.
    #[error(
        "the issuer {0:?} has no agent prefix: with several issuers, expected one for each, which may be empty"
    )]
    NoPrefix(String),
    /// Something must be fetched, but there is no [`Fetch`].
    #[error("nothing to fetch {0:?} with: expected a Fetch")]
    NoFetch(String),
    /// The list of algorithms is empty.
    #[error("no algorithm: expected at least one")]
    NoAlgorithm,
    /// A text is not a scope.
    #[error("invalid scope: expected visible ASCII characters without quotes and backslashes, found {0:?}")]
    Scope(String),
}

impl Default for ResourceServerBuilder {
    fn default() -> Self {
        Self {
            issuers: Vec::new(),
            introspection: None,
            fetch: None,
            key_times: KeyTimes::default(),
            algorithms: SignatureAlgorithm::ALL.to_vec(),
            audiences: Vec::new(),
            leeway: Duration::from_secs(60),
            rules: Rules::default(),
            subject: Subject { agent_claim: "sub".to_owned(), admin_claim: None },
            name: None,
            documentation: None,
            no_scope: None,
        }
    }
}

impl ResourceServerBuilder {
    /// Trusts the signed tokens of an issuer.
    #[must_use]
    pub fn issuer(mut self, issuer: Issuer) -> Self {
        self.issuers.push(issuer);
        self
    }

    /// Queries an authorization server about every token that is not a signed token of one of the issuers.
    #[must_use]
    pub fn introspection(mut self, introspection: Introspection) -> Self {
        self.introspection = Some(introspection);
        self
    }

    /// Sets the client that fetches keys and queries authorization servers; `HttpFetch` of `mgp-transport` does so over HTTP.
    #[must_use]
    pub fn fetch(mut self, fetch: impl Fetch + 'static) -> Self {
        self.fetch = Some(Arc::new(fetch));
        self
    }

    /// Sets the lifetime of keys, and the limits on fetching them.
    #[must_use]
    pub fn key_times(mut self, times: KeyTimes) -> Self {
        self.key_times = times;
        self
    }

    /// Sets the algorithms that tokens may be signed with. The default is all of [`SignatureAlgorithm::ALL`].
    #[must_use]
    pub fn algorithms(mut self, algorithms: &[SignatureAlgorithm]) -> Self {
        self.algorithms = algorithms.to_vec();
        self
    }

    /// Adds a name that tokens for this server have as their audience. The server's own URL is then no longer accepted as an audience.
    #[must_use]
    pub fn audience(mut self, audience: &str) -> Self {
        self.audiences.push(audience.to_owned());
        self
    }

    /// Sets the most by which the clocks of an issuer and of this machine may differ. The default is 60 seconds.
    #[must_use]
    pub fn leeway(mut self, leeway: Duration) -> Self {
        self.leeway = leeway;
        self
    }

    /// Sets the scopes that every request requires.
    #[must_use]
    pub fn required_scopes<I: IntoIterator<Item: AsRef<str>>>(mut self, scopes: I) -> Self {
        self.rules.required = self.scopes(scopes);
        self
    }

    /// Sets the scopes that a method, such as `resources/read`, requires in addition to the required ones.
    #[must_use]
    pub fn method_scopes<I: IntoIterator<Item: AsRef<str>>>(mut self, method: &str, scopes: I) -> Self {
        let scopes = self.scopes(scopes);
        self.rules.methods.insert(method.to_owned(), scopes);
        self
    }

    /// Sets the scopes that a call of a tool requires in addition to those of the method. In a kernel, the tool is named `tool` or
    /// `server__tool`, whatever name a host sees.
    #[must_use]
    pub fn tool_scopes<I: IntoIterator<Item: AsRef<str>>>(mut self, tool: &str, scopes: I) -> Self {
        let scopes = self.scopes(scopes);
        self.rules.tools.insert(tool.to_owned(), scopes);
        self
    }

    /// Sets the claim that holds the agent's id. The default is `sub`.
    #[must_use]
    pub fn agent_claim(mut self, claim: &str) -> Self {
        self.subject.agent_claim = claim.to_owned();
        self
    }

    /// Sets the scope that gives the admin role. By default, no scope does.
    #[must_use]
    pub fn admin_scope(mut self, scope: &str) -> Self {
        self.rules.admin = self.scopes([scope]);
        self
    }

    /// Sets the claim that gives the admin role if it is `value`, or a list that holds `value`. By default, no claim does.
    #[must_use]
    pub fn admin_claim(mut self, claim: &str, value: &str) -> Self {
        self.subject.admin_claim = Some((claim.to_owned(), value.to_owned()));
        self
    }

    /// Sets the description of this server for people: its name, and the URL of its documentation.
    #[must_use]
    pub fn described(mut self, name: Option<&str>, documentation: Option<&str>) -> Self {
        self.name = name.map(str::to_owned);
        self.documentation = documentation.map(str::to_owned);
        self
    }

    /// Builds the resource server.
    ///
    /// # Errors
    /// [`InvalidResourceServer`].
    pub fn build(self) -> Result<ResourceServer, InvalidResourceServer> {
        self.validate()?;
        let introspector = match (self.introspection, &self.fetch) {
            (Some(settings), Some(fetch)) => Some(Introspector::new(settings, fetch.clone())),
            (Some(settings), None) => return Err(InvalidResourceServer::NoFetch(settings.url)),
            (None, _) => None,
        };
        let ids = self.issuers.iter().map(|issuer| issuer.id.clone());
        let asked = introspector.as_ref().map(|it| it.settings.issuer.clone());
        // If an issuer has both kinds of tokens, it is named once.
        let asked = asked.filter(|asked| self.issuers.iter().all(|issuer| issuer.id != *asked));
        let metadata = ResourceMetadata {
            authorization_servers: ids.chain(asked).collect(),
            // The scopes that a client should request first. Further scopes are announced when the client needs them.
            scopes_supported: self.rules.required.iter().map(str::to_owned).collect(),
            resource_name: self.name,
            resource_documentation: self.documentation,
            dpop_signing_alg_values_supported: algorithms(),
        };
        let known = |issuer: Issuer| KnownIssuer {
            id: issuer.id,
            keys: KeyCache::new(issuer.source, self.fetch.clone(), self.key_times),
            agent_prefix: issuer.agent_prefix.unwrap_or_default(),
        };
        Ok(ResourceServer {
            issuers: self.issuers.into_iter().map(known).collect(),
            introspector,
            algorithms: self.algorithms,
            audiences: self.audiences,
            leeway: self.leeway,
            rules: self.rules,
            subject: self.subject,
            metadata,
            used_proofs: UsedProofs::default(),
        })
    }

    fn validate(&self) -> Result<(), InvalidResourceServer> {
        if let Some(text) = &self.no_scope {
            return Err(InvalidResourceServer::Scope(text.clone()));
        }
        if self.algorithms.is_empty() {
            return Err(InvalidResourceServer::NoAlgorithm);
        }
        let asked = self.introspection.iter().map(|asked| (&asked.issuer, &asked.agent_prefix));
        let signing = self.issuers.iter().map(|issuer| (&issuer.id, &issuer.agent_prefix));
        let all: Vec<_> = signing.chain(asked).collect();
        if all.is_empty() {
            return Err(InvalidResourceServer::NoIssuer);
        }
        let names: BTreeSet<_> = all.iter().map(|(id, _)| *id).collect();
        for (id, prefix) in &all {
            if !is_issuer(id) {
                return Err(InvalidResourceServer::Issuer((*id).clone()));
            }
            if names.len() > 1 && prefix.is_none() {
                return Err(InvalidResourceServer::NoPrefix((*id).clone()));
            }
        }
        let mut seen = BTreeSet::new();
        for issuer in &self.issuers {
            if !seen.insert(&issuer.id) {
                return Err(InvalidResourceServer::SameIssuer(issuer.id.clone()));
            }
            if self.fetch.is_none() && !matches!(issuer.source, Source::Given(_)) {
                return Err(InvalidResourceServer::NoFetch(issuer.id.clone()));
            }
        }
        Ok(())
    }

    /// Reads scopes. The first text that is not a scope is kept, so that [`build`](Self::build) reports it.
    fn scopes<I: IntoIterator<Item: AsRef<str>>>(&mut self, scopes: I) -> Scopes {
        let mut read = |scope: I::Item| {
            let text = scope.as_ref().to_owned();
            if !is_scope(&text) {
                self.no_scope.get_or_insert(text.clone());
            }
            text
        };
        scopes.into_iter().map(&mut read).collect()
    }
}

fn is_issuer(id: &str) -> bool {
    let url = id.parse::<Uri>().ok();
    let url = url.filter(|url| matches!(url.scheme_str(), Some("http" | "https")) && url.host().is_some());
    url.is_some() && !id.contains(['?', '#', '@', ' '])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::identity::oauth::KeySet;

    fn given(id: &str) -> Issuer {
        Issuer::new(id).keys(KeySet::default())
    }

    #[test]
    fn settings_that_trust_nobody_or_are_ambiguous_are_refused() {
        let built = |set: fn(ResourceServerBuilder) -> ResourceServerBuilder| {
            set(ResourceServer::builder()).build().map(|_| ()).unwrap_err()
        };
        assert_eq!(built(|b| b), InvalidResourceServer::NoIssuer);
        for id in ["", "auth", "ftp://a", "https://a?x", "https://a#x"] {
            let error = ResourceServer::builder().issuer(given(id)).build().unwrap_err();
            assert_eq!(error, InvalidResourceServer::Issuer(id.into()));
        }
        let twice = |b: ResourceServerBuilder| {
            b.issuer(given("https://a").agent_prefix("a")).issuer(given("https://a").agent_prefix("b"))
        };
        assert_eq!(built(twice), InvalidResourceServer::SameIssuer("https://a".into()));
        let unnamed = |b: ResourceServerBuilder| {
            b.issuer(given("https://a").agent_prefix("")).issuer(given("https://b"))
        };
        assert_eq!(built(unnamed), InvalidResourceServer::NoPrefix("https://b".into()));
        assert_eq!(
            built(|b| b.issuer(Issuer::new("https://a"))),
            InvalidResourceServer::NoFetch("https://a".into())
        );
        assert_eq!(
            built(|b| b.issuer(given("https://a")).algorithms(&[])),
            InvalidResourceServer::NoAlgorithm
        );
        let scope = |b: ResourceServerBuilder| b.issuer(given("https://a")).tool_scopes("t", ["a b"]);
        assert_eq!(built(scope), InvalidResourceServer::Scope("a b".into()));
    }
}
