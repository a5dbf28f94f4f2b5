//! Finds the URLs in a text and judges their hosts.

use super::{
    budget::Budget,
    host::{COMPUTED, Certainty, Finding, MAX_AUTHORITY, judge_authority, without_port},
    keys::MemberKind,
    names::{NameKind, name_kind},
    ports::is_port,
};
use crate::{
    meter,
    validator::table::{self, Words},
};
use serde::Deserialize;
use std::sync::LazyLock;

/// The words of `urls.toml`.
static TABLE: LazyLock<Table> = LazyLock::new(|| table::parse(include_str!("urls.toml")));

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    network: Words,
    local: Words,
    attributes: Words,
}

/// Schemes that a URL parser reads in the same way with any number of slashes, of either kind.
const SPECIAL: &[&str] = &["http", "https", "ws", "wss", "ftp"];

/// Judges every URL in a text.
pub(super) fn judge_urls(text: &str, member: MemberKind) -> Finding {
    let mut budget = Budget::new(text.len());
    let mut found = Finding::Nothing;
    for (at, _) in text.match_indices(':') {
        let front = &text[..at];
        let is_scheme = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.' | '_');
        let start = front.trim_end_matches(is_scheme).len();
        let scheme = &front[start..];
        budget.spend(scheme.len());
        if scheme.is_empty() {
            if at == 0 && text.starts_with("://") {
                found = found.max(judge_authority(authority_of(&text[3..]), Certainty::Url).possible());
            }
            continue;
        }
        if start == 0
            && scheme.eq_ignore_ascii_case("file")
            && member == MemberKind::Host
            && text.len() > at + 1
            && !text[at + 1..].starts_with(' ')
        {
            found = found.max(Finding::Possible("a file of this machine"));
        }
        found = found.max(judge_scheme(&scheme.to_ascii_lowercase(), &text[at + 1..], &mut budget));
        if budget.is_spent() {
            return found.max(super::budget::TOO_MANY);
        }
    }
    for (at, slashes) in text.match_indices("//").chain(text.match_indices("/\\")) {
        if text[..at].ends_with([':', '/', '\\']) {
            continue;
        }
        let rest = text[at + slashes.len()..].trim_start_matches(['/', '\\']);
        // An authority ends at the next slash, so that no two of them share a byte.
        let authority = authority_of(rest);
        meter::count(authority.len() + 1);
        found = found.max(judge_relative(&text[..at], authority, &rest[authority.len()..], member));
    }
    found
}

/// Returns the text up to the end of an authority.
fn authority_of(rest: &str) -> &str {
    let is_end = |c: char| c.is_whitespace() || matches!(c, '/' | '"' | '\'' | '<' | '>' | '`');
    let window = window(rest, MAX_AUTHORITY + 1);
    &window[..window.find(is_end).unwrap_or(window.len())]
}

/// Returns the start of a text, up to a number of bytes.
pub(super) fn window(text: &str, bytes: usize) -> &str {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

fn judge_scheme(scheme: &str, rest: &str, budget: &mut Budget) -> Finding {
    let scheme = scheme.trim_start_matches(['-', '.', '+', '_']);
    let slashes = rest.len() - rest.trim_start_matches(['/', '\\']).len();
    let is_of = |list: &[&str]| list.contains(&scheme) || scheme.split('+').any(|part| list.contains(&part));
    let begins = rest.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '/' | '\\' | '.' | '@' | '~'));
    if is_of(&TABLE.local) && begins {
        let what = Finding::Certain("a socket of this machine");
        return if slashes > 0 { what } else { what.possible() };
    }
    if (scheme == "file" || scheme.ends_with("-file")) && slashes > 0 {
        return Finding::Certain("a file of this machine");
    }
    let is_network = is_of(&TABLE.network);
    let is_special = SPECIAL.contains(&scheme);
    if slashes < 2 && !is_special && !(scheme == "turn" || scheme == "stun" || scheme == "sip") {
        return Finding::Nothing;
    }
    let rest = rest.trim_start_matches(['/', '\\']);
    let authority = authority_of(rest);
    budget.spend(authority.len());
    if authority.is_empty() {
        return if is_network && slashes > 1 {
            Finding::Possible("a URL without a host, which may mean this machine")
        } else {
            Finding::Nothing
        };
    }
    if slashes == 0
        && authority.bytes().all(|b| b.is_ascii_digit())
        && authority.len() < 6
        && authority != "0"
    {
        return Finding::Nothing;
    }
    let computed = authority.contains(['{', '$', '<'])
        || authority.strip_prefix('[').is_some_and(|inner| inner.contains('-'));
    if authority.starts_with(['#', '?', '&', '|', ',', ')']) {
        return if is_network {
            judge_authority(authority, Certainty::Likely).possible().max(COMPUTED)
        } else {
            Finding::Nothing
        };
    }
    if is_network && slashes > 1 && authority.starts_with(':') && !authority.contains('@') {
        return Finding::Possible("a URL without a host, which may mean this machine");
    }
    if is_network && authority.to_ascii_lowercase().contains("%2f") {
        return Finding::Possible("a socket of this machine");
    }
    if is_network && computed {
        return judge_authority(authority, Certainty::Likely).possible().max(COMPUTED);
    }
    let place = if is_network { Certainty::Url } else { Certainty::Likely };
    let found = judge_authority(authority, place);
    let found = if slashes == 0 && place == Certainty::Url && name_of(authority) == NameKind::Single {
        found.possible()
    } else {
        found
    };
    if found.is_found() || !is_network {
        let with_port = is_single_with_port(authority)
            || authority.contains('@')
                && !scheme.starts_with("pkg")
                && name_of(authority) == NameKind::Single;
        return found.max(if with_port {
            judge_authority(authority, Certainty::Url)
        } else {
            Finding::Nothing
        });
    }
    let host = authority.strip_prefix("*.").or_else(|| authority.strip_prefix('[')).unwrap_or(authority);
    let is_computed = host.contains(['*', '[', '(', '§'])
        || host
            .split('%')
            .skip(1)
            .any(|rest| !rest.starts_with(|c: char| c.is_ascii_hexdigit()) || rest == "d");
    if is_computed || !is_readable(authority) { COMPUTED } else { Finding::Nothing }
}

fn is_readable(authority: &str) -> bool {
    authority.contains(|c: char| c.is_alphanumeric())
        && authority
            .starts_with(|c: char| c.is_alphanumeric() || matches!(c, '[' | '_' | '*' | '%' | '-' | ':'))
}

fn name_of(authority: &str) -> NameKind {
    name_kind(without_port(authority.rsplit('@').next().unwrap_or_default()))
}

fn is_single_with_port(authority: &str) -> bool {
    let host = authority.rsplit('@').next().unwrap_or_default();
    host.split_once(':').is_some_and(|(name, port)| is_port(port) && name_kind(name) != NameKind::Public)
}

/// The number of bytes before a position in which a mark is sought.
const NEAR: usize = 32;

/// Judges the text after two slashes without a scheme, which is a host in a URL, and something else in comments, paths and labels.
fn judge_relative(front: &str, authority: &str, rest: &str, member: MemberKind) -> Finding {
    let front_end = front.chars().next_back();
    let is_start =
        front_end.is_none_or(|c| !c.is_alphanumeric() && !matches!(c, '.' | '-' | '_' | '*' | ']' | ')'));
    if authority.is_empty() || !is_start {
        return Finding::Nothing;
    }
    let is_number = authority.bytes().all(|b| b.is_ascii_digit())
        && front.trim().is_empty()
        && member == MemberKind::Host;
    let found = judge_authority(authority, if is_number { Certainty::Host } else { Certainty::Likely });
    if found.is_found() {
        return if member == MemberKind::Host || front.trim().is_empty() { found } else { found.possible() };
    }
    if is_single_with_port(authority) {
        return judge_authority(authority, Certainty::Url).possible();
    }
    let kind = name_kind(authority);
    let is_single = matches!(kind, NameKind::Single | NameKind::Private);
    let is_whole = front.trim().is_empty();
    let trimmed = front.trim_end_matches(['"', '\'', '(', ' ', '<']);
    let in_markup = front.ends_with('=') || TABLE.attributes.iter().any(|mark| trimmed.ends_with(mark));
    let is_literal = matches!(front_end, Some('"' | '\'' | '`'))
        && !rest.contains("()")
        && !authority.contains(['[', '*', '@', '(']);
    let in_code = is_literal
        && matches!(member, MemberKind::Code | MemberKind::Other)
        && !front[front.ceil_char_boundary(front.len().saturating_sub(NEAR))..].contains("xpath");
    let is_reference =
        is_whole && matches!(member, MemberKind::Host | MemberKind::Likely) && !authority.contains(':');
    let is_share =
        is_whole && matches!(member, MemberKind::Other) && rest.len() > 1 && !rest.contains(['(', '[', '@']);
    let counts = in_markup || in_code || (is_reference && !rest.contains(['(', '@', ':'])) || is_share;
    if is_single && counts { super::host::SINGLE } else { Finding::Nothing }
}
