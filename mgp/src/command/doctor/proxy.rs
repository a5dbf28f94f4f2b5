//! The variables for proxies. Their values may hold passwords and are never shown.

use super::finding::{Finding, Kind, Remedy};
use http::Uri;
use mgp_discovery::locate::Environment;

/// The variables that name a proxy, in lower case. Programs read either form.
const PROXIES: [&str; 3] = ["http_proxy", "https_proxy", "all_proxy"];

/// The schemes of proxies.
const SCHEMES: [&str; 6] = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"];

pub(super) fn check(environment: &Environment) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut set = Vec::new();
    for lower in PROXIES {
        let upper = lower.to_ascii_uppercase();
        let values = [lower, &upper].map(|name| environment.variable(name));
        for (name, value) in [lower, &upper].into_iter().zip(values) {
            let Some(value) = value else { continue };
            set.push(name.to_owned());
            if let Err(reason) = proxy(value) {
                let problem = format!("{name} is not the address of a proxy: {reason}");
                let remedy = Remedy::Command(format!("export {name}=http://HOST:PORT"));
                findings.push(Finding::new(Kind::ProxyMalformed, problem, remedy));
            }
        }
        if let [Some(one), Some(other)] = values
            && one != other
        {
            let problem = format!("{lower} and {upper} differ, and each program reads another one first");
            let remedy = Remedy::Command(format!("export {upper}=\"${lower}\""));
            findings.push(Finding::new(Kind::ProxyDiffers, problem, remedy));
        }
    }
    let except = ["no_proxy", "NO_PROXY"].map(|name| environment.variable(name));
    if let Some(name) = set.first()
        && !except.into_iter().flatten().any(excepts_loopback)
    {
        let problem = format!(
            "{name} is set, and NO_PROXY does not name this machine: servers reach local addresses through the proxy"
        );
        let old = if except[1].is_some() { "$NO_PROXY," } else { "" };
        let remedy = Remedy::Command(format!("export NO_PROXY=\"{old}localhost,127.0.0.1,::1\""));
        findings.push(Finding::new(Kind::ProxyLoopback, problem, remedy));
    }
    findings
}

/// Checks the address of a proxy. The reason does not repeat the address.
fn proxy(value: &str) -> Result<(), &'static str> {
    if value.trim() != value || value.contains(char::is_whitespace) {
        return Err("it has a space");
    }
    let (scheme, rest) = match value.split_once("://") {
        Some(parts) => parts,
        None if value.trim_end_matches('/').contains('/') => return Err("expected http://HOST:PORT"),
        None => ("http", value),
    };
    if !SCHEMES.contains(&scheme.to_ascii_lowercase().as_str()) {
        return Err("expected http, https or socks5 before ://");
    }
    // A URI of a scheme that the type knows, with the user and the password left out.
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let address = authority.rsplit('@').next().unwrap_or_default();
    let uri: Uri = format!("http://{address}/").parse().map_err(|_| "expected http://HOST:PORT")?;
    if uri.host().is_none_or(str::is_empty) {
        return Err("it has no host");
    }
    let has_port = address.rsplit_once(':').filter(|(_, port)| !port.ends_with(']'));
    match has_port {
        Some((_, port)) if port.parse::<u16>().map_or(true, |port| port == 0) => {
            Err("its port is not a number from 1 to 65535")
        }
        _ => Ok(()),
    }
}

/// Returns whether a list of exceptions has this machine, by its name and its address.
fn excepts_loopback(list: &str) -> bool {
    let entries: Vec<_> = list.split(',').map(str::trim).collect();
    let has = |names: &[&str]| entries.iter().any(|entry| names.contains(entry));
    has(&["*"]) || (has(&["localhost", ".localhost"]) && has(&["127.0.0.1", "127.0.0.0/8", "127.*"]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_proxies_are_told_from_others() {
        for address in [
            "http://proxy.example:3128",
            "proxy:3128",
            "proxy",
            "https://u:p%40@proxy.example",
            "socks5h://10.0.0.1:1080/",
            "http://[::1]:3128",
            "HTTP://proxy:80",
        ] {
            assert_eq!(proxy(address), Ok(()), "{address}");
        }
        for address in [
            "http//proxy:3128",
            "ftp://proxy",
            "http://",
            "http://proxy:",
            "proxy:port",
            "http://pro xy",
            "proxy:99999",
            "http://:80",
        ] {
            assert!(proxy(address).is_err(), "{address}");
        }
    }

    #[test]
    fn loopback_is_excepted_by_name_and_address() {
        for (list, expected) in [
            ("*", true),
            ("localhost,127.0.0.1", true),
            (" localhost , 127.0.0.0/8,::1", true),
            ("localhost", false),
            ("127.0.0.1", false),
            ("", false),
            ("example.com", false),
        ] {
            assert_eq!(excepts_loopback(list), expected, "{list}");
        }
    }
}
