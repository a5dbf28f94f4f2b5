//! §4.5 `network_restricted`: blocks requests to this machine, private networks and metadata services.

use super::{Input, Leaf, Validator, Violation, rejection::shown};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use url::{Host, Url};

/// The validator `network_restricted`.
///
/// It looks for URLs anywhere in a string, for strings that are a host or an address, and, in members named like one
/// (`url`, `host`, ...), for every form that a URL parser would read as an address: decimal, octal, hexadecimal, short
/// and IPv6 with an IPv4 address inside. A name is judged as a name: what it resolves to is not known here.
#[derive(Debug, Clone, Copy)]
pub struct NetworkRestricted;

/// Words in a member's name that say that it holds a host.
const HOST_KEYS: &[&str] = &[
    "url", "uri", "host", "hostname", "endpoint", "address", "addr", "domain", "ip", "server", "proxy",
    "target", "link", "href", "origin", "website", "site", "webhook", "callback",
];

/// Names that mean this machine, a private network or a metadata service, with all names below them.
const NAMES: &[&str] = &[
    "localhost",
    "localdomain",
    "local",
    "internal",
    "intranet",
    "lan",
    "home.arpa",
    "ip6-localhost",
    "ip6-loopback",
    "metadata",
    "instance-data",
    // Public names that resolve to this machine or to the address that they spell.
    "localtest.me",
    "lvh.me",
    "vcap.me",
    "nip.io",
    "sslip.io",
    "xip.io",
];

impl Validator for NetworkRestricted {
    fn name(&self) -> &str {
        "network_restricted"
    }

    fn check(&self, input: &Input<'_>) -> Result<(), Violation> {
        let wrong = |leaf: &Leaf| {
            forbidden_in(leaf).map(|what| format!("{what} in {:?}: {:?}", leaf.pointer, shown(&leaf.text)))
        };
        Violation::unless_empty(
            "requests to this machine and to private networks are blocked",
            input.leaves.iter().filter_map(wrong).collect(),
        )
    }
}

/// What a string reaches that it must not.
fn forbidden_in(leaf: &Leaf) -> Option<&'static str> {
    // A URL parser drops these wherever they stand, so they must not hide anything.
    let text: String = leaf.text.chars().filter(|c| !matches!(c, '\t' | '\n' | '\r')).collect();
    let text = text.trim();
    urls_in(text)
        .find_map(judge_url)
        .or_else(|| judge_whole(text, names_a_host(leaf.key())))
        .or_else(|| leaf.text.split_whitespace().flat_map(urls_in).find_map(judge_url))
}

fn names_a_host(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    HOST_KEYS.iter().any(|word| key == *word)
        || key.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| HOST_KEYS.contains(&word))
        || ["url", "uri", "host", "hostname", "endpoint", "address"].iter().any(|word| key.ends_with(word))
}

/// The URLs inside a text: each from its scheme to the next white space or quote.
fn urls_in(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices("//").map(move |(at, _)| {
        let scheme = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.' | ':');
        let start = text[..at]
            .rfind(|c| !scheme(c))
            .map_or(0, |before| before + text[before..].chars().next().map_or(1, char::len_utf8));
        let end = text[at..]
            .find(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '<' | '>' | '`'))
            .map_or(text.len(), |length| at + length);
        &text[start..end]
    })
}

/// Judges what starts with a scheme and two slashes, or with the slashes alone.
fn judge_url(url: &str) -> Option<&'static str> {
    let (scheme, rest) = url.split_once("//")?;
    if scheme.eq_ignore_ascii_case("file:") {
        return Some("a file of this machine");
    }
    let authority = rest.trim_start_matches(['/', '\\']);
    if authority.is_empty() || (scheme.is_empty() && !looks_like_host(authority)) {
        return None;
    }
    judge_authority(authority)
}

/// Judges a string that is as a whole a URL without slashes, a host, or an address.
fn judge_whole(text: &str, host_expected: bool) -> Option<&'static str> {
    if text.is_empty() || text.contains(char::is_whitespace) {
        return None;
    }
    // A URL parser reads `http:127.1` and `http:\127.1` as it reads `http://127.1`.
    let special = ["http:", "https:", "ws:", "wss:", "ftp:"];
    let lower = text.to_ascii_lowercase();
    if let Some(scheme) = special.iter().find(|scheme| lower.starts_with(**scheme)) {
        return judge_authority(text[scheme.len()..].trim_start_matches(['/', '\\']));
    }
    if lower.starts_with("file:") {
        return Some("a file of this machine");
    }
    if host_expected || looks_like_host(text) { judge_authority(text) } else { None }
}

/// Whether a string outside a member for hosts is one all the same: an address in a usual form, or a forbidden name.
fn looks_like_host(text: &str) -> bool {
    let host = text.split(['/', '?', '#']).next().unwrap_or_default();
    let host = host.rsplit('@').next().unwrap_or_default();
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    let dotted = name.split('.').count() == 4
        && name.split('.').all(|part| part.starts_with(|c: char| c.is_ascii_digit()));
    let literal = host.starts_with('[') || host.parse::<Ipv6Addr>().is_ok();
    dotted || literal || forbidden_name(name)
}

/// Judges what stands between a scheme and a path: user, host and port.
///
/// A URL in a sentence may have punctuation behind it, so it is judged with and without: either reading may be a
/// server's.
fn judge_authority(authority: &str) -> Option<&'static str> {
    // Bare IPv6, as in a member that holds an address.
    if let Ok(address) = authority.parse::<Ipv6Addr>() {
        return judge_address(address.into());
    }
    // The bracket of an IPv6 address closes one that opens.
    let stray = authority.find(']').filter(|at| !authority[..*at].contains('['));
    let end = authority.find([')', ',', ';', '}', '|']).into_iter().chain(stray).min();
    let short = end.map(|end| host_of(&authority[..end])).and_then(Result::ok);
    match (host_of(authority), short) {
        (Ok(host), short) => judge_host(&host).or_else(|| judge_host(&short?)),
        (Err(_), Some(short)) => judge_host(&short),
        (Err(_), None) => Some("a host that cannot be read"),
    }
}

/// The host as the web reads it, whatever the scheme was: the widest reading of what an address can look like.
fn host_of(authority: &str) -> Result<Host<String>, url::ParseError> {
    let url = Url::parse(&format!("http://{authority}"))?;
    url.host().map(|host| host.to_owned()).ok_or(url::ParseError::EmptyHost)
}

fn judge_host(host: &Host<String>) -> Option<&'static str> {
    match host {
        Host::Ipv4(address) => judge_address((*address).into()),
        Host::Ipv6(address) => judge_address((*address).into()),
        Host::Domain(name) => forbidden_name(name).then_some("a name of this machine or a private network"),
    }
}

fn forbidden_name(name: &str) -> bool {
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    NAMES.iter().any(|top| name.strip_suffix(top).is_some_and(|rest| rest.is_empty() || rest.ends_with('.')))
}

fn judge_address(address: IpAddr) -> Option<&'static str> {
    let private = match address {
        IpAddr::V4(address) => private_v4(address),
        IpAddr::V6(address) => private_v6(address),
    };
    private.then_some("an address of this machine, a private network or a metadata service")
}

fn private_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    matches!(
        (a, b, c),
        (0 | 10 | 127 | 224..=255, _, _)
            | (100, 64..=127, _)
            | (169, 254, _)
            | (172, 16..=31, _)
            | (192, 168, _)
            | (192, 0, 0)
            | (198, 18..=19, _)
    )
}

fn private_v6(address: Ipv6Addr) -> bool {
    let parts = address.segments();
    let inner = |high: u16, low: u16| {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        private_v4(Ipv4Addr::new(a, b, c, d))
    };
    match parts {
        // Unspecified, loopback, and IPv4 addresses in an IPv6 coat.
        [0, 0, 0, 0, 0, 0, 0, 0 | 1] => true,
        [0, 0, 0, 0, 0, 0 | 0xffff, high, low] | [0, 0, 0, 0, 0xffff, 0, high, low] => inner(high, low),
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] | [0x2002, high, low, ..] => inner(high, low),
        // Local translation and tunnels: where they lead cannot be seen.
        [0x64, 0xff9b, ..] | [0x2001, 0, ..] => true,
        // Unique local, link local, site local, multicast.
        [first, ..] => matches!(first >> 8, 0xfc | 0xfd | 0xff) || matches!(first & 0xffc0, 0xfe80 | 0xfec0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reaches(pointer: &str, text: &str) -> bool {
        forbidden_in(&Leaf::new(pointer, text)).is_some()
    }

    #[test]
    fn public_hosts_and_ordinary_texts_pass() {
        for (pointer, text) in [
            ("/url", "https://example.com/a?b=http://example.org"),
            ("/url", "http://8.8.8.8:53/x"),
            ("/host", "example.com"),
            ("/ip", "1.1.1.1"),
            ("/url", "http://[2606:4700::1111]/"),
            ("/port", "8080"),
            ("/text", "the local time, 127 people, 10.5 degrees"),
            ("/text", "see https://example.com/localhost for more"),
            ("/path", "src//main.rs"),
            ("/version", "1.2.3"),
            ("/text", "[https://example.com], (https://example.org), {https://a.example}"),
            ("/text", ""),
        ] {
            assert!(!reaches(pointer, text), "{pointer} {text}");
        }
    }

    #[test]
    fn this_machine_and_private_networks_are_refused_in_every_form() {
        for host in [
            "localhost",
            "LOCALHOST.",
            "a.localhost",
            "127.0.0.1",
            "127.1",
            "2130706433",
            "0x7f000001",
            "0x7f.1",
            "017700000001",
            "0177.0.0.1",
            "0",
            "0.0.0.0",
            "10.1.2.3",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "[::1]",
            "[::]",
            "[::ffff:127.0.0.1]",
            "[::ffff:7f00:1]",
            "[::7f00:1]",
            "[64:ff9b::a00:1]",
            "[2002:7f00:1::]",
            "[fd00:ec2::254]",
            "[fe80::1]",
            "[2001::1]",
            "metadata.google.internal",
            "printer.local",
            "127.0.0.1.nip.io",
            "１２７.0.0.1",
            "user:pass@127.0.0.1",
            "example.com@127.0.0.1",
            "127.0.0.1:8080",
            "127.0.0.1/x?y#z",
            "%31%32%37.0.0.1",
        ] {
            for text in [
                format!("http://{host}"),
                format!("gopher://{host}"),
                format!("HTTP:{host}"),
                format!("//{host}"),
            ] {
                assert!(reaches("/url", &text), "{text}");
            }
            assert!(reaches("/text", &format!("please fetch (https://{host}) now")), "{host}");
            assert!(reaches("/host", host), "{host}");
        }
    }

    #[test]
    fn tricks_with_slashes_line_breaks_and_schemes_do_not_help() {
        for text in [
            r"http:\\127.0.0.1",
            "http:///127.0.0.1",
            "http:/\\127.0.0.1",
            "ht\ntp://127.0.0.1",
            "http://127.0\t.0.1",
            "file:///etc/passwd",
            "FILE:/etc/passwd",
            "http://",
            "http://[::1",
            "http://example.com,http://127.1",
            "http://a)@127.0.0.1/",
        ] {
            assert!(reaches("/url", text), "{text:?}");
        }
    }

    #[test]
    fn a_bare_address_is_seen_in_any_member() {
        for text in ["127.0.0.1", "10.0.0.1:22", "::1", "localhost", "localhost:3000/x"] {
            assert!(reaches("/text", text), "{text}");
        }
    }
}
