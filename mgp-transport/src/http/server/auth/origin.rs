//! The checks of Host and Origin: a web page must not reach a server on its reader's machine under one of the page's own names.

use crate::http::server::{DenialReason, refusal::Refusal};
use http::{
    HeaderMap, HeaderValue, StatusCode, Uri,
    header::{HOST, ORIGIN},
    uri::Authority,
};
use mgp_types::printable::quoted;
use parking_lot::Mutex;
use std::net::IpAddr;

/// The names of this server, and the pages that may use it.
#[derive(Debug)]
pub(in crate::http::server) struct Origins {
    /// The names in lower case; a name with a port allows only that port.
    hosts: Mutex<Vec<String>>,
    origins: Vec<String>,
}

impl Default for Origins {
    fn default() -> Self {
        let hosts = ["localhost", "127.0.0.1", "[::1]"].map(str::to_owned);
        Self { hosts: Mutex::new(hosts.into()), origins: Vec::new() }
    }
}

impl Origins {
    pub(in crate::http::server) fn allow_host(&self, host: &str) {
        self.hosts.lock().push(host.to_ascii_lowercase());
    }

    pub(in crate::http::server) fn allow_address(&self, ip: IpAddr) {
        match ip {
            ip if ip.is_unspecified() => {}
            IpAddr::V4(ip) => self.allow_host(&ip.to_string()),
            IpAddr::V6(ip) => self.allow_host(&format!("[{ip}]")),
        }
    }

    pub(in crate::http::server) fn allow_origin(&mut self, origin: &str) {
        self.origins.push(origin.to_ascii_lowercase());
    }

    /// Refuses a request for a name that is not this server's, or from a page that is not allowed.
    pub(in crate::http::server) fn check(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), Refusal> {
        let mut hosts = headers.get_all(HOST).iter();
        let host = match (hosts.next(), hosts.next(), uri.authority()) {
            (Some(host), None, _) => host.to_str().unwrap_or_default(),
            (None, None, Some(authority)) => authority.as_str(),
            (None, ..) => return Err(Refusal::bad_request("missing Host header")),
            (Some(_), Some(_), _) => return Err(Refusal::bad_request("more than one Host header")),
        };
        for host in [Some(host), uri.authority().map(Authority::as_str)].into_iter().flatten() {
            if !self.is_allowed_host(host) {
                let message = format!("forbidden Host: {} is not a name of this server", quoted(host));
                let refusal = Refusal::new(StatusCode::FORBIDDEN, message);
                return Err(refusal.because(DenialReason::ForbiddenHost));
            }
        }
        for origin in headers.get_all(ORIGIN) {
            let origin = origin.to_str().unwrap_or_default();
            if !self.is_allowed_origin(origin) {
                let message = format!("forbidden Origin: {} may not use this server", quoted(origin));
                let refusal = Refusal::new(StatusCode::FORBIDDEN, message);
                return Err(refusal.because(DenialReason::ForbiddenOrigin));
            }
        }
        Ok(())
    }

    /// Returns the origin of a request if it was allowed by name. Pages of the server's own hosts are not included: they may come
    /// from any port.
    pub(super) fn named<'a>(&self, headers: &'a HeaderMap) -> Option<&'a HeaderValue> {
        if self.origins.is_empty() {
            return None;
        }
        let mut origins = headers.get_all(ORIGIN).iter();
        let (origin, None) = (origins.next()?, origins.next()) else { return None };
        self.origins.contains(&origin.to_str().ok()?.to_ascii_lowercase()).then_some(origin)
    }

    fn is_allowed_host(&self, host: &str) -> bool {
        let Ok(authority) = host.to_ascii_lowercase().parse::<Authority>() else { return false };
        if authority.as_str().contains('@') {
            return false;
        }
        self.hosts.lock().iter().any(|allowed| allowed == authority.as_str() || allowed == authority.host())
    }

    fn is_allowed_origin(&self, origin: &str) -> bool {
        let origin = origin.to_ascii_lowercase();
        let host = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
        self.origins.contains(&origin) || host.is_some_and(|host| self.is_allowed_host(host))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_this_machine_are_hosts_by_default() {
        let rules = Origins::default();
        for host in ["localhost", "LOCALHOST:8080", "127.0.0.1:1", "[::1]:3000", "[::1]"] {
            assert!(rules.is_allowed_host(host), "{host}");
        }
        for host in [
            "evil.example",
            "localhost.evil.example",
            "evil.example@localhost",
            "localhost@evil.example",
            "127.0.0.2",
            "",
            "localhost/x",
        ] {
            assert!(!rules.is_allowed_host(host), "{host}");
        }
        rules.allow_host("Tools.Example:8443");
        assert!(rules.is_allowed_host("tools.example:8443") && !rules.is_allowed_host("tools.example:80"));
    }

    #[test]
    fn only_pages_of_an_allowed_host_or_origin_may_ask() {
        let mut rules = Origins::default();
        rules.allow_origin("https://App.example");
        for origin in ["http://localhost:6274", "https://[::1]", "https://app.example"] {
            assert!(rules.is_allowed_origin(origin), "{origin}");
        }
        for origin in [
            "null",
            "http://evil.example",
            "https://app.example.evil",
            "http://app.example",
            "file://localhost",
            "http://localhost@evil.example",
        ] {
            assert!(!rules.is_allowed_origin(origin), "{origin}");
        }
    }

    #[test]
    fn the_bound_address_is_a_name_unless_unspecified() {
        let rules = Origins::default();
        rules.allow_address([10, 0, 0, 7].into());
        rules.allow_address([0, 0, 0, 0].into());
        assert!(rules.is_allowed_host("10.0.0.7:80") && !rules.is_allowed_host("0.0.0.0"));
    }
}
