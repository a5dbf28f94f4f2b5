//! The addresses at which the console answers.

use http::{HeaderMap, Uri, header};
use std::net::SocketAddr;

/// The origins that a browser may name in `Host` and `Origin`. A page that reaches the console through a name of its own is refused, which is how
/// attacks by DNS rebinding work.
#[derive(Debug, Clone)]
pub(crate) struct Address {
    /// The allowed hosts with their ports, in lower case.
    hosts: Vec<String>,
    scheme: &'static str,
    cookie: String,
}

impl Address {
    /// Returns the address of a console on loopback.
    pub(crate) fn loopback(address: SocketAddr) -> Self {
        let port = address.port();
        let hosts = vec![address.to_string(), format!("localhost:{port}")];
        Self { hosts, scheme: "http", cookie: format!("mgp_console_{port}") }
    }

    /// Returns the address of a console behind a proxy, or with TLS, by its public origin.
    pub(crate) fn public(origin: &Uri) -> Option<Self> {
        let scheme = if origin.scheme_str()? == "https" { "https" } else { return None };
        let host = origin.authority()?.as_str().to_ascii_lowercase();
        Some(Self { hosts: vec![host], scheme, cookie: "__Host-mgp_console".to_owned() })
    }

    /// Returns the first origin.
    pub(crate) fn origin(&self) -> String {
        format!("{}://{}", self.scheme, self.hosts[0])
    }

    /// Returns the value of the cookie that gives a browser its session.
    pub(crate) fn cookie(&self, secret: &str) -> String {
        let secure = if self.scheme == "https" { "; Secure" } else { "" };
        format!("{}={secret}; Path=/; HttpOnly; SameSite=Strict{secure}", self.cookie)
    }

    /// Returns the value of the cookie that ends a session in the browser.
    pub(crate) fn no_cookie(&self) -> String {
        format!("{}; Max-Age=0", self.cookie(""))
    }

    /// Returns the secret in the cookies of a request.
    pub(crate) fn secret<'a>(&self, headers: &'a HeaderMap) -> Option<&'a str> {
        let mut found = headers
            .get_all(header::COOKIE)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(';'))
            .filter_map(|pair| pair.trim().split_once('='))
            .filter(|(name, _)| *name == self.cookie)
            .map(|(_, secret)| secret);
        // Two cookies of one name: another program of this machine has set one.
        found.next().filter(|_| found.next().is_none())
    }

    /// Returns whether a request names one of the hosts.
    pub(crate) fn is_host(&self, headers: &HeaderMap) -> bool {
        let mut hosts = headers.get_all(header::HOST).iter();
        let first = hosts.next().and_then(|host| host.to_str().ok());
        hosts.next().is_none() && first.is_some_and(|host| self.has(host))
    }

    /// Returns whether a request was made by a page of the console, as far as the browser says.
    pub(crate) fn is_own_page(&self, headers: &HeaderMap) -> bool {
        let of_site = headers.get("sec-fetch-site").is_none_or(|site| site == "same-origin");
        let origin = headers.get(header::ORIGIN).and_then(|origin| origin.to_str().ok());
        let host = origin.and_then(|origin| origin.strip_prefix(self.scheme)?.strip_prefix("://"));
        of_site && host.is_some_and(|host| self.has(host))
    }

    fn has(&self, host: &str) -> bool {
        self.hosts.iter().any(|own| own.eq_ignore_ascii_case(host))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(*name, value.parse().unwrap());
        }
        headers
    }

    fn address() -> Address {
        Address::loopback(([127, 0, 0, 1], 7444).into())
    }

    #[test]
    fn only_the_console_s_own_names_are_hosts() {
        for (host, expected) in [
            ("127.0.0.1:7444", true),
            ("localhost:7444", true),
            ("LOCALHOST:7444", true),
            ("localhost", false),
            ("127.0.0.1:7445", false),
            ("evil.example:7444", false),
            ("localhost:7444.evil.example", false),
            ("", false),
        ] {
            assert_eq!(address().is_host(&headers(&[("host", host)])), expected, "{host}");
        }
        assert!(!address().is_host(&headers(&[])));
        let twice = [("host", "localhost:7444"), ("host", "localhost:7444")];
        assert!(!address().is_host(&headers(&twice)));
    }

    #[test]
    fn only_a_page_of_the_console_makes_changes() {
        let own = ("origin", "http://127.0.0.1:7444");
        assert!(address().is_own_page(&headers(&[own])));
        assert!(address().is_own_page(&headers(&[own, ("sec-fetch-site", "same-origin")])));
        for site in ["cross-site", "same-site", "none"] {
            assert!(!address().is_own_page(&headers(&[own, ("sec-fetch-site", site)])), "{site}");
        }
        for origin in ["null", "https://127.0.0.1:7444", "http://127.0.0.1", "http://evil.example", ""] {
            assert!(!address().is_own_page(&headers(&[("origin", origin)])), "{origin}");
        }
        assert!(!address().is_own_page(&headers(&[])), "a browser names the origin of every change");
    }

    #[test]
    fn the_cookie_is_of_this_port_and_only_one_counts() {
        let one = headers(&[("cookie", "a=1; mgp_console_7444=x; mgp_console_7445=y")]);
        assert_eq!(address().secret(&one), Some("x"));
        let two = headers(&[("cookie", "mgp_console_7444=x; mgp_console_7444=y")]);
        assert_eq!(address().secret(&two), None);
        assert!(address().cookie("x").contains("HttpOnly; SameSite=Strict"));
        let public = Address::public(&Uri::from_static("https://gateway.example.com")).unwrap();
        assert!(
            public.cookie("x").ends_with("; Secure")
                && public.is_host(&headers(&[("host", "gateway.example.com")]))
        );
        assert!(Address::public(&Uri::from_static("http://gateway.example.com")).is_none());
    }
}
