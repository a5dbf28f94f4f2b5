//! Names of members, by their contents.

use crate::{
    validator::table::{self, Words},
    words::words,
};
use icu_normalizer::uts46::Uts46MapperBorrowed;
use serde::Deserialize;
use std::sync::LazyLock;

/// The words of `keys.toml`.
static TABLE: LazyLock<Table> = LazyLock::new(|| table::parse(include_str!("keys.toml")));

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    hosts: Words,
    likely: Words,
    commands: Words,
    code: Words,
    versions: Words,
    otherwise: Words,
}

/// The kind of a member, by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MemberKind {
    /// A member for hosts, in which a name without a dot is a host.
    Host,
    /// A member for hosts or URLs, or for something else of the same name: names without a dot do not count.
    Likely,
    /// A member for a command or its arguments.
    Command,
    /// A member for code, markup or a configuration.
    Code,
    /// A member for versions, sections and the like, in which numbers with dots are not addresses.
    Version,
    /// A member for a count, an identifier, an amount and the like.
    Otherwise,
    /// Any other member.
    Other,
}

/// Endings of names that are written as one word, such as `dbhost`.
const ENDINGS: &[&str] =
    &["url", "uri", "host", "hostname", "proxy", "server", "addr", "servers", "hosts", "urls"];

/// Returns the kind of a member of this name.
pub(super) fn member_kind(key: &str) -> MemberKind {
    let key: String = if key.is_ascii() {
        key.to_owned()
    } else {
        Uts46MapperBorrowed::new().map_normalize(key.chars()).collect()
    };
    let words: Vec<String> = words(&key)
        .into_iter()
        .map(|word| word.trim_end_matches(|c: char| c.is_ascii_digit()).to_owned())
        .collect();
    let full = crate::words::words(&key);
    let Some(last) = words.iter().rev().find(|word| !word.is_empty()) else { return MemberKind::Other };
    let joined = key.to_lowercase().replace(['_', '-'], "");
    let is_joined = ["externalname", "contactpoints", "computername", "datasource", "servername"]
        .contains(&joined.as_str());
    let any = |list: &[&str]| words.iter().chain(&full).any(|word| is_of(word, |word| list.contains(&word)));
    let last_is = |list: &[&str]| list.contains(&last.as_str());
    let is_glued = words
        .iter()
        .any(|word| ENDINGS.iter().any(|ending| word.len() > ending.len() && word.ends_with(ending)));
    if last_is(&TABLE.versions) {
        MemberKind::Version
    } else if last_is(&TABLE.otherwise) && !key.eq_ignore_ascii_case("host_port") && key != "hostPort" {
        MemberKind::Otherwise
    } else if is_of(last, |word| TABLE.commands.contains(&word)) {
        MemberKind::Command
    } else if any(&TABLE.hosts) || is_glued || is_joined {
        MemberKind::Host
    } else if any(&TABLE.likely) {
        MemberKind::Likely
    } else if is_of(last, |word| TABLE.code.contains(&word)) {
        MemberKind::Code
    } else {
        MemberKind::Other
    }
}

/// Returns whether a member of this name holds an address as a number.
pub(super) fn holds_address_numbers(key: &str) -> bool {
    words(key)
        .last()
        .is_some_and(|last| is_of(last, |word| ["ip", "ipv4", "address", "addr", "host"].contains(&word)))
}

/// Returns whether a number in a member of this name is a seed of random numbers.
pub(super) fn holds_random_seeds(key: &str) -> bool {
    words(key).last().is_some_and(|last| last == "seed")
}

/// Returns whether a word, or its singular, meets a condition.
fn is_of(word: &str, one: impl Fn(&str) -> bool) -> bool {
    one(word)
        || word.strip_suffix('s').is_some_and(&one)
        || word.strip_suffix("es").is_some_and(&one)
        || word.strip_suffix("ies").is_some_and(|stem| one(&format!("{stem}y")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_describes_its_member_in_any_spelling() {
        for (kind, keys) in [
            (
                MemberKind::Host,
                &["url", "URLs", "baseUrl", "hosts", "host_names", "dbhost", "proxies", "--host", "host1"][..],
            ),
            (MemberKind::Likely, &["target-ip", "x.endpoint", "allowedOrigins", "IP", "ipv6", "addresses"]),
            (MemberKind::Command, &["command", "args", "curl_opts"]),
            (MemberKind::Version, &["version", "server_version", "section"]),
            (MemberKind::Otherwise, &["port", "serverId", "hosts_count"]),
            (MemberKind::Other, &["", "text", "ship", "mode"]),
        ] {
            for key in keys {
                assert_eq!(member_kind(key), kind, "{key}");
            }
        }
    }
}
