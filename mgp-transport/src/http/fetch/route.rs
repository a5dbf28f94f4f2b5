//! The route to an address: direct, or through a proxy.

use super::{
    DocumentError,
    error::shown_url,
    resolver::{Reach, Resolver, look_up},
};
use crate::http::{
    tls,
    zone::{Zone, is_loopback},
};
use http::Uri;
use hyper_util::client::proxy::matcher::Matcher;
use reqwest::{Client, redirect};
use std::{
    net::{IpAddr, SocketAddr},
    sync::{Arc, OnceLock},
    time::Duration,
};
use url::{Host, Url};

/// The proxies between this machine and others.
#[derive(Debug, Clone)]
pub(super) struct Proxies {
    /// The rules for the addresses that the proxies are used for.
    matcher: Arc<Matcher>,
    /// The proxy of a test, which replaces the environment's.
    given: Option<reqwest::Proxy>,
}

impl Proxies {
    /// Returns the proxies of the environment (`HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY`, with the exceptions of `NO_PROXY`).
    pub(super) fn of_environment() -> Self {
        Self { matcher: Arc::new(Matcher::from_system()), given: None }
    }

    /// Returns a single proxy, for the addresses that `matcher` selects.
    #[cfg(all(test, feature = "http-server"))]
    pub(super) fn given(proxy: reqwest::Proxy, matcher: Matcher) -> Self {
        Self { matcher: Arc::new(matcher), given: Some(proxy) }
    }

    fn are_for(&self, url: &Url) -> bool {
        Uri::try_from(url.as_str()).is_ok_and(|uri| self.matcher.intercept(&uri).is_some())
    }
}

/// The clients for both routes. They look up different names, so one cannot replace the other. On the direct route, the resolver
/// returns only addresses that may be contacted. Behind a proxy, the name of the proxy itself is looked up, which its operator
/// vouches for.
#[derive(Debug, Clone)]
pub(super) struct Routes {
    straight: Client,
    /// Created when it is first needed.
    by_proxy: Arc<OnceLock<Client>>,
    proxies: Proxies,
    reach: Arc<Reach>,
}

impl Routes {
    pub(super) fn new(reach: Arc<Reach>, proxies: Proxies) -> Result<Self, DocumentError> {
        let straight = client()?.no_proxy().dns_resolver(Arc::new(Resolver(reach.clone())));
        let straight = straight.build().map_err(failed)?;
        Ok(Self { straight, by_proxy: Arc::default(), proxies, reach })
    }

    /// Returns the client for a URL. The URL's host is checked if a proxy would look it up. No proxy is used for this machine.
    pub(super) async fn to(&self, url: &Url) -> Result<Client, DocumentError> {
        if is_loopback(url) || !self.proxies.are_for(url) {
            return Ok(self.straight.clone());
        }
        self.check_name(url).await?;
        if let Some(client) = self.by_proxy.get() {
            return Ok(client.clone());
        }
        let made = self.proxies.given.iter().cloned().fold(client()?, reqwest::ClientBuilder::proxy);
        let made = made.build().map_err(failed)?;
        Ok(self.by_proxy.get_or_init(|| made).clone())
    }

    /// Checks the host of a URL that a proxy would look up. All addresses of the name must be open, because the proxy chooses
    /// one. A name that does not resolve here is refused, because the proxy may resolve it. A proxy that resolves the name to
    /// other addresses must refuse closed ones itself.
    async fn check_name(&self, url: &Url) -> Result<(), DocumentError> {
        let allowed = *self.reach.lock();
        let Some(Host::Domain(name)) = url.host() else { return Ok(()) };
        if allowed == Zone::Local {
            return Ok(());
        }
        let found = look_up(name).await.unwrap_or_default();
        if found.is_empty() {
            return Err(DocumentError::NoAddress { url: shown_url(url), allowed });
        }
        if are_open(found.iter().map(SocketAddr::ip), allowed) {
            return Ok(());
        }
        Err(DocumentError::Zone { url: shown_url(url), allowed })
    }
}

fn are_open(mut addresses: impl Iterator<Item = IpAddr>, allowed: Zone) -> bool {
    addresses.all(|ip| Zone::of(ip) <= allowed)
}

fn client() -> Result<reqwest::ClientBuilder, DocumentError> {
    let tls = tls::client_config().map_err(|error| DocumentError::Client(error.to_string()))?;
    let client = Client::builder()
        .tls_backend_preconfigured(tls)
        .user_agent(concat!(env!("CARGO_PKG_NAME"), "/", env!("CARGO_PKG_VERSION")))
        .redirect(redirect::Policy::none())
        .pool_idle_timeout(Duration::from_secs(4));
    Ok(client)
}

fn failed(error: reqwest::Error) -> DocumentError {
    DocumentError::Client(error.without_url().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_address_that_a_proxy_may_choose_must_be_open() {
        let open = |ips: &[&str], zone| are_open(ips.iter().map(|ip| ip.parse().unwrap()), zone);
        assert!(open(&["1.1.1.1", "2606:4700::1"], Zone::Public));
        assert!(!open(&["1.1.1.1", "10.0.0.1"], Zone::Public));
        assert!(open(&["1.1.1.1", "10.0.0.1"], Zone::Private));
        assert!(!open(&["10.0.0.1", "::1"], Zone::Private));
    }
}
