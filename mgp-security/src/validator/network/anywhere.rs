//! Finds addresses in texts and numbers that are not said to hold a host.

use super::{host::judge_whole, keys::says_otherwise};
use crate::validator::{Leaf, LeafKind};
use mgp_types::address::Zone;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Returns what may be an address of this machine or a private network, whatever the member's name is.
pub(super) fn doubt_in(leaf: &Leaf) -> Option<&'static str> {
    const DOUBT: &str = "what may be an address of this machine or a private network";
    let text = leaf.text.trim();
    if says_otherwise(leaf.key()) {
        return None;
    }
    let found = match leaf.kind {
        LeafKind::Number => is_private_number(text),
        LeafKind::Text | LeafKind::Name => {
            is_private_number(text) || is_odd_address(text) || holds_address(text)
        }
    };
    found.then_some(DOUBT)
}

/// The number of times that a URL may be escaped in another one.
const ESCAPES: usize = 4;

/// Returns a text without the escapes of a URL, if a URL stands in it escaped.
pub(super) fn unescaped(text: &str) -> Option<String> {
    let mut lower = text.to_ascii_lowercase();
    // What was escaped twice may be unescaped twice.
    for _ in 0..ESCAPES {
        lower = lower.replace("%25", "%");
    }
    let (slashes, colon) = (lower.contains("%2f%2f"), lower.contains("%3a"));
    (slashes || colon)
        .then(|| lower.replace("%3a", ":").replace("%2f", "/").replace("%2e", ".").replace("%40", "@"))
}

/// Returns whether a number is such an address, written in decimal.
fn is_private_number(text: &str) -> bool {
    let Ok(number) = text.parse::<u32>() else { return false };
    // The largest signed number stands for itself.
    number >= 1 << 24
        && number != i32::MAX.unsigned_abs()
        && is_private(Ipv4Addr::from(number).into())
        && number < 0xe000_0000
}

/// Returns whether a text is such an address in an unusual form: hexadecimal, octal, or shortened.
fn is_odd_address(text: &str) -> bool {
    let host = text.split([':', '/']).next().unwrap_or_default();
    let hex = host.starts_with("0x") && host.len() <= 12 && host.len() > 6;
    let dotted = host.contains('.')
        && (host.starts_with("0x") || host.starts_with("127.") || host.starts_with("0177."));
    let octal = host.starts_with('0') && host.len() >= 10 && host.bytes().all(|b| b.is_ascii_digit());
    (hex || dotted || octal) && judge_whole(host, true).is_some()
}

/// Returns whether such an address, or this machine's name with a port, stands in a text.
fn holds_address(text: &str) -> bool {
    let part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | ':' | '-' | '_');
    let mut from = 0;
    for token in text.split(|c: char| !part(c)) {
        let at = from;
        from += token.len() + text[at + token.len()..].chars().next().map_or(0, char::len_utf8);
        let token = token.trim_matches('.');
        let (host, port) = token.rsplit_once(':').unwrap_or((token, ""));
        let has_port = !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit());
        let host = if has_port { host } else { token };
        let address = host.rsplit(':').next().and_then(|host| host.parse::<Ipv4Addr>().ok());
        let long = token.matches(':').count() > 1;
        let private = address.is_some_and(|address| is_private(address.into()))
            || (long && token.parse::<Ipv6Addr>().is_ok_and(|address| is_private(address.into())));
        let given = text[..at].ends_with(['=', '@', '(']);
        if private || (host.eq_ignore_ascii_case("localhost") && (has_port || given)) {
            return true;
        }
    }
    false
}

fn is_private(address: IpAddr) -> bool {
    Zone::of(address) != Zone::Public
}
