//! Judges the names of hosts: which belong to this machine or a private network, and which are public.

use super::address::{is_private, read_v4};
use crate::validator::table::{self, Words};
use serde::Deserialize;
use std::{collections::HashSet, sync::LazyLock};

/// The words of `names.toml`.
static TABLE: LazyLock<Table> = LazyLock::new(|| table::parse(include_str!("names.toml")));

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    examples: Words,
    private: Words,
    public_looking: Words,
}

/// The top-level domains of the internet, one a line. A name below any other one does not lead to a public host.
static TOP_LEVEL_DOMAINS: LazyLock<HashSet<&str>> =
    LazyLock::new(|| include_str!("top_level_domains.txt").lines().collect());

/// Parts of a name that make a name below a public domain a private endpoint.
const PRIVATE_PARTS: &[&str] = &["privatelink", "internal", "local", "localhost"];

/// The kind of a host's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NameKind {
    /// A name below a public top-level domain.
    Public,
    /// A name below a public top-level domain that may lead to a private network.
    Doubtful,
    /// A name without a dot, which is looked up in the local network.
    Single,
    /// A name whose last part is not a top-level domain.
    Unknown,
    /// A name that is known to be that of this machine, a private network or a metadata service.
    Private,
    /// A text that is not a host's name.
    None,
}

/// Returns the kind of a name, in any case, which may end with a dot.
pub(super) fn name_kind(name: &str) -> NameKind {
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    if !is_name(&name) {
        return NameKind::None;
    }
    if is_below(&name, &TABLE.private) || is_below(&name, &TABLE.public_looking) || is_load_balancer(&name) {
        return NameKind::Private;
    }
    let Some((front, top)) = name.rsplit_once('.') else { return NameKind::Single };
    if TABLE.examples.contains(&top) || TOP_LEVEL_DOMAINS.contains(top) {
        let is_part = front.split('.').skip(1).any(|label| PRIVATE_PARTS.contains(&label));
        return if is_part || spells_private_address(&name) { NameKind::Doubtful } else { NameKind::Public };
    }
    NameKind::Unknown
}

/// Returns whether a name is below a known private name, and is not an everyday word.
pub(super) fn is_known_private(name: &str) -> bool {
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    is_name(&name)
        && (is_below(&name, &TABLE.public_looking)
            || (is_below(&name, &TABLE.private) && !is_plain_word(&name)))
}

/// Returns whether a known private name is an everyday word, which is a host only where a host is expected.
pub(super) fn is_plain_word(name: &str) -> bool {
    ["local", "internal", "intranet", "lan", "corp", "home", "svc", "kubernetes", "metadata"]
        .iter()
        .any(|word| word.eq_ignore_ascii_case(name))
}

fn is_below(name: &str, tops: &[&str]) -> bool {
    tops.iter().any(|top| name.strip_suffix(top).is_some_and(|rest| rest.is_empty() || rest.ends_with('.')))
}

/// Returns whether a name is that of an internal load balancer of a cloud.
fn is_load_balancer(name: &str) -> bool {
    name.starts_with("internal-") && name.ends_with(".elb.amazonaws.com")
}

/// Returns whether a text has the form of a host's name: labels of letters, digits, hyphens and underscores.
fn is_name(name: &str) -> bool {
    let label = |label: &str| {
        (1..=63).contains(&label.len())
            && label.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'))
            && !label.ends_with('-')
    };
    name.len() <= 253 && name.split('.').all(label) && !name.bytes().all(|b| b.is_ascii_digit() || b == b'.')
}

/// Returns whether a name contains a private address, with dots or hyphens between its numbers, or in hexadecimal.
fn spells_private_address(name: &str) -> bool {
    let numbers: Vec<&str> = name.split(['.', '-']).collect();
    let dotted = numbers.windows(4).any(|four| {
        four.iter()
            .all(|part| !part.is_empty() && part.len() <= 3 && part.bytes().all(|b| b.is_ascii_digit()))
            && read_v4(&four.join(".")).is_some_and(|(ip, _)| is_private(ip.into()))
    });
    let hexadecimal = |label: &str| {
        let number = u32::from_str_radix(label, 16).ok().filter(|_| label.len() == 8);
        number.is_some_and(|number| is_private(std::net::Ipv4Addr::from(number).into()))
    };
    dotted || numbers.iter().any(|label| hexadecimal(label))
}
