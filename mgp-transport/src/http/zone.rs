//! The network zone that a URL leads to, for clients that follow URLs named by a server.

use std::{net::SocketAddr, time::Duration};
use url::{Host, Url};

pub use mgp_types::address::Zone;

/// The time limit of looking up a name.
const LOOK_UP: Duration = Duration::from_secs(5);

/// Returns the zone of a URL's host without a look-up; `None` for a name that must be looked up.
#[must_use]
pub fn zone_of_host(url: &Url) -> Option<Zone> {
    match url.host() {
        Some(Host::Ipv4(ip)) => Some(Zone::of_v4(ip)),
        Some(Host::Ipv6(ip)) => Some(Zone::of_v6(ip)),
        _ => is_loopback(url).then_some(Zone::Local),
    }
}

/// Returns the zone of a server that answered from `remote`: the more public of the zones of its name and of that address. The
/// address could be a proxy's, and the owner of a name can point it anywhere.
pub async fn zone_of_server(url: &Url, remote: Option<SocketAddr>) -> Zone {
    let Some(remote) = remote else { return zone_of_host(url).unwrap_or(Zone::Public) };
    let by_name = match (zone_of_host(url), url.host_str()) {
        (Some(zone), _) => zone,
        (None, Some(host)) => match tokio::time::timeout(LOOK_UP, tokio::net::lookup_host((host, 0))).await {
            Ok(Ok(addresses)) => {
                addresses.map(|address| Zone::of(address.ip())).min().unwrap_or(Zone::Public)
            }
            Ok(Err(_)) | Err(_) => Zone::Public,
        },
        (None, None) => Zone::Public,
    };
    by_name.min(Zone::of(remote.ip()))
}

/// Returns `true` if the name or the address in a URL is this machine's, without a look-up.
#[must_use]
pub fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(ip)) => ip.is_loopback(),
        Some(Host::Ipv6(ip)) => ip.is_loopback(),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    #[test]
    fn only_this_machine_is_loopback() {
        for text in ["http://localhost:1/mcp", "http://127.9.9.9", "https://[::1]/", "http://a.localhost"] {
            assert!(is_loopback(&url(text)), "{text}");
        }
        for text in ["http://localhost.example", "http://10.0.0.1", "https://[::2]"] {
            assert!(!is_loopback(&url(text)), "{text}");
        }
    }

    #[test]
    fn every_spelling_of_an_address_has_its_zone() {
        let check = |zone, hosts: &[&str]| {
            for host in hosts {
                assert_eq!(zone_of_host(&url(&format!("https://{host}/"))), Some(zone), "{host}");
            }
        };
        check(
            Zone::Local,
            &[
                "127.0.0.1",
                "2130706433",
                "0x7f.1",
                "169.254.169.254",
                "0.0.0.0",
                "[::1]",
                "[::]",
                "[fe80::1]",
                "[::ffff:127.0.0.1]",
                "[::ffff:169.254.169.254]",
                "[64:ff9b::7f00:1]",
                "[2002:7f00:1::]",
                "localhost",
            ],
        );
        check(
            Zone::Private,
            &[
                "10.1.2.3",
                "172.31.0.1",
                "192.168.0.1",
                "100.64.0.1",
                "198.18.0.1",
                "224.0.0.1",
                "255.255.255.255",
                "[fd00::1]",
                "[fec0::1]",
                "[ff02::1]",
                "[2001::1]",
                "[::ffff:10.0.0.1]",
                "[4000::1]",
                "[2001:db8::1]",
                "192.0.2.1",
            ],
        );
        check(Zone::Public, &["1.1.1.1", "172.32.0.1", "100.128.0.1", "[2606:4700::1]", "[::ffff:8.8.8.8]"]);
        assert_eq!(zone_of_host(&url("https://example.com/")), None);
    }

    #[tokio::test]
    async fn a_server_is_private_only_by_both_name_and_address() {
        let remote = |ip: &str| Some(SocketAddr::new(ip.parse().unwrap(), 443));
        let of = async |host: &str, ip| zone_of_server(&url(&format!("https://{host}/")), remote(ip)).await;
        assert_eq!(of("127.0.0.1", "127.0.0.1").await, Zone::Local);
        assert_eq!(of("localhost", "::1").await, Zone::Local);
        // A proxy on this machine.
        assert_eq!(of("1.1.1.1", "127.0.0.1").await, Zone::Public);
        // A name that says one address now and another later.
        assert_eq!(of("localhost", "1.1.1.1").await, Zone::Public);
        assert_eq!(of("10.0.0.1", "127.0.0.1").await, Zone::Private);
        assert_eq!(zone_of_server(&url("https://example.com/"), None).await, Zone::Public);
    }
}
