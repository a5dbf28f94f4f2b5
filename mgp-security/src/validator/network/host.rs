//! Judges texts in the places where a host can stand: URLs, authorities, names and addresses.

use mgp_types::address::Zone;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use url::{Host, Url};

/// Names that mean this machine, a private network or a metadata service. All names below them do so too.
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

/// The names among [`NAMES`] that are also everyday words. Alone, they count as hosts only where a host is expected.
const WORDS: &[&str] = &["local", "internal", "intranet", "lan", "metadata"];

/// The verdict on a host that cannot be read. Such a host is refused only where nothing but a host can stand.
pub(super) const UNREADABLE: &str = "a host that cannot be read";

/// The verdict on an authority that is too long to be judged. Names of hosts have 253 bytes at most.
const TOO_LONG: &str = "a host that is too long to be judged";

/// The longest authority that is judged, in bytes up to the next slash.
const MAX_AUTHORITY: usize = 8 * 1024;

/// The smallest number that is judged as an address. Smaller ones are ports and counts; as addresses they lead nowhere, except for 0.
const SMALL: u64 = 1 << 24;

/// Judges a URL by its scheme, which may be empty, and the authority behind its slashes.
pub(super) fn judge_url((scheme, authority): (&str, &str)) -> Option<&'static str> {
    if is_socket(scheme) {
        return Some("a socket of this machine");
    }
    // A word without a colon before slashes is no scheme.
    let scheme = if scheme.len() > 1 && scheme.ends_with(':') { scheme } else { "" };
    if scheme.eq_ignore_ascii_case("file:") {
        return Some("a file of this machine");
    }
    if authority.is_empty() || (scheme.is_empty() && !looks_like_host(authority)) {
        return None;
    }
    judge_authority(authority)
}

/// Judges a string that, as a whole, is a URL without slashes, a host, or an address.
pub(super) fn judge_whole(text: &str, host_expected: bool) -> Option<&'static str> {
    if text.is_empty() {
        return None;
    }
    // A URL parser reads `http:127.1` and `http:\127.1` as it reads `http://127.1`.
    let special = ["http:", "https:", "ws:", "wss:", "ftp:"];
    let lower = text.to_ascii_lowercase();
    if let Some(scheme) = special.iter().find(|scheme| lower.starts_with(**scheme)) {
        return judge_authority(text[scheme.len()..].trim_start_matches(['/', '\\']));
    }
    if is_socket(&lower) {
        return Some("a socket of this machine");
    }
    if lower.starts_with("file:") {
        return Some("a file of this machine");
    }
    if host_expected {
        return judge_authority(text);
    }
    if !looks_like_host(text) || is_mask(text) {
        return None;
    }
    // A text that cannot be read as an address is something else with four numbers in it.
    judge_authority(text).filter(|what| *what != UNREADABLE)
}

/// Returns whether a URL's scheme is one for sockets in the file system.
fn is_socket(scheme: &str) -> bool {
    let scheme = scheme.to_ascii_lowercase();
    ["unix:", "http+unix:", "https+unix:", "npipe:"].iter().any(|socket| scheme.starts_with(socket))
}

/// Returns whether a text is the mask of a network, such as `255.255.255.0`.
fn is_mask(text: &str) -> bool {
    let mask = text.parse::<Ipv4Addr>().map(u32::from).unwrap_or_default();
    (8..32).contains(&mask.leading_ones()) && mask.leading_ones() == mask.count_ones()
}

/// Returns the host in a text that may be one, with its port, and without user and path.
fn host_part(text: &str) -> &str {
    let host = text.split(['/', '?', '#']).next().unwrap_or_default();
    host.rsplit('@').next().unwrap_or_default()
}

/// Returns whether a string outside a member for hosts is a host all the same: an address in a usual form, or a forbidden name.
pub(super) fn looks_like_host(text: &str) -> bool {
    let host = host_part(text);
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    let dotted = name.split('.').count() == 4
        && name.split('.').all(|part| part.starts_with(|c: char| c.is_ascii_digit()));
    let literal = host.starts_with('[') || host.parse::<Ipv6Addr>().is_ok();
    dotted || literal || (forbidden_name(name) && !is_plain_word(text))
}

/// Returns whether a string looks like a host of any kind, forbidden or not.
pub(super) fn looks_like_any_host(text: &str) -> bool {
    let name = host_part(text);
    let name = name.rsplit_once(':').map_or(name, |(name, _)| name);
    let label = |label: &str| !label.is_empty() && label.chars().all(|c| c.is_alphanumeric() || c == '-');
    let domain = name.rsplit_once('.').is_some_and(|(rest, top)| {
        rest.split('.').all(label) && top.len() > 1 && top.chars().all(char::is_alphabetic)
    });
    domain || looks_like_host(text)
}

/// Returns whether a string is a number as small as ports and counts are, with or without a port or a path behind it.
pub(super) fn is_small_number(text: &str) -> bool {
    let number = text.split([':', '/', '?', '#']).next().unwrap_or_default();
    number.parse::<u64>().is_ok_and(|number| (1..SMALL).contains(&number))
}

/// Returns whether a string is an everyday word that is also the name of a private network, with at most a path behind it.
pub(super) fn is_plain_word(text: &str) -> bool {
    let word = text.split(['/', '?', '#']).next().unwrap_or_default();
    WORDS.iter().any(|plain| plain.eq_ignore_ascii_case(word))
}

/// Judges the part between a scheme and a path: user, host and port, in every way in which they can be read. A path is left out if there
/// is one, and so are leading slashes, as by a URL parser.
///
/// A URL in a sentence may have punctuation behind it, so the authority is judged with and without it: a server may read
/// it either way.
fn judge_authority(text: &str) -> Option<&'static str> {
    // Bare IPv6, as in a member that holds an address.
    if let Ok(address) = text.parse::<Ipv6Addr>() {
        return judge_address(address.into());
    }
    let authority = text.trim_start_matches(['/', '\\']).split('/').next().unwrap_or_default();
    if authority.len() > MAX_AUTHORITY {
        return Some(TOO_LONG);
    }
    // A closing bracket belongs to an IPv6 address only if there is an opening one.
    let stray = authority.find(']').filter(|at| !authority[..*at].contains('['));
    let end = authority.find([')', ',', ';', '}', '|']).into_iter().chain(stray).min();
    let short = end.map(|end| host_of(&authority[..end])).and_then(Result::ok);
    let read = match (host_of(authority), short) {
        (Ok(host), short) => judge_host(&host).or_else(|| judge_host(&short?)),
        (Err(_), Some(short)) => judge_host(&short),
        (Err(_), None) => Some(UNREADABLE),
    };
    // Parsers disagree on the end of a user that contains `\`, `#`, `?` or `@`.
    read.or_else(|| {
        let mut behind_users = authority.split('@').skip(1).filter_map(|host| host_of(host).ok());
        behind_users.find_map(|host| judge_host(&host))
    })
}

/// Returns the host as the web reads it, whatever the scheme was, because that reading accepts the most forms of an address.
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
    (Zone::of(address) != Zone::Public)
        .then_some("an address of this machine, a private network or a metadata service")
}
