//! Finds values of names for hosts in a text: `host=...`, `Host: ...`, `HostName ...`.

use super::{
    budget::{Budget, TOO_MANY},
    host::{Certainty, Finding, MAX_AUTHORITY, judge_authority, without_port},
    keys::{MemberKind, member_kind},
    names::{NameKind, name_kind},
    urls::window,
};
use crate::validator::table::{self, Words};
use serde::Deserialize;
use std::sync::LazyLock;

/// The words of `pairs.toml`.
pub(super) static TABLE: LazyLock<Table> = LazyLock::new(|| table::parse(include_str!("pairs.toml")));

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Table {
    pub(super) words: Words,
    directives: Words,
}

/// Names of connection strings whose value may be a dot, which means this machine.
const EXACT: &[&str] = &["server", "source", "datasource", "address", "addr", "host"];

/// Judges the values of names for hosts in a text.
pub(super) fn judge_pairs(text: &str, member: MemberKind) -> Finding {
    let mut budget = Budget::new(text.len());
    let mut found = Finding::Nothing;
    for (at, mark) in text.match_indices(['=', ':', '>']) {
        // Of a row of `=`, the last one stands before the value.
        if mark == "=" && text[at + 1..].starts_with('=') {
            continue;
        }
        let before = text[..at].trim_end_matches(['=', ' ', '"', '\'']);
        let named = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '[' | ']');
        let key = &before[before.trim_end_matches(named).len()..];
        budget.spend(text[..at].len() - before.len() + key.len());
        let key = window(key, 64);
        let front = before[..before.len() - key.len()].trim_end();
        let is_source = key.eq_ignore_ascii_case("source") && front.ends_with(['a', 'A'])
            || key.eq_ignore_ascii_case("address") && front.ends_with(['k', 'K']);
        let kind = if is_source && mark == "=" { MemberKind::Host } else { member_kind(key) };
        // In a list of names and values, a value belongs to the preceding name.
        let kind = if key == "value" && names_host(front) { MemberKind::Host } else { kind };
        if mark == ">" && !front.ends_with(['<', '=', '-']) && !before.ends_with('=') {
            continue;
        }
        let in_line = text[..at].len() - before.len() < 3
            && front.len() < at
            && text[..before.len() - key.len()]
                .trim_end_matches([' ', '-', '\t', '{'])
                .chars()
                .next_back()
                .is_none_or(|c| matches!(c, '\n' | ',' | '{'))
            || text[..before.len() - key.len()].trim_end().ends_with('{') && mark == ":";
        if budget.is_spent() {
            return found.max(TOO_MANY);
        }
        if !matches!(kind, MemberKind::Host | MemberKind::Likely) {
            continue;
        }
        let rest = &text[at + 1..];
        let value = value_of(rest);
        budget.spend(value.text.len() + 1);
        if kind == MemberKind::Host
            && mark == "="
            && rest.starts_with(';')
            && EXACT.contains(&key.to_ascii_lowercase().as_str())
        {
            found = found.max(Finding::Possible("a server without a name, which may be this machine"));
        }
        if mark == "=" && key == "host" && rest.starts_with(' ') && value.text.contains('=') {
            found = found.max(Finding::Possible("a server without a name, which may be this machine"));
        }
        found = found.max(judge_value(&value, kind, mark, member, (in_line, key)));
    }
    found.max(judge_directives(text))
}

/// Returns whether the line before the last one of a text names a host, as in `name: REDIS_HOST`.
fn names_host(front: &str) -> bool {
    let near = &front[front.ceil_char_boundary(front.len().saturating_sub(96))..];
    let word = near
        .trim_end()
        .rsplit(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ':' | ','))
        .find(|word| !word.is_empty());
    word.is_some_and(|word| member_kind(word) == MemberKind::Host)
}

/// A value after a name.
struct Value<'a> {
    text: &'a str,
    is_quoted: bool,
    /// A space precedes the value.
    is_spaced: bool,
    /// A port is next to the value.
    has_port: bool,
    /// The value ends like one in a list of pairs.
    is_closed: bool,
}

fn value_of(rest: &str) -> Value<'_> {
    let rest = window(rest, MAX_AUTHORITY + 64);
    // An item of a list in YAML may be on the next line, and a text may follow a mark for its kind.
    let next = rest.trim_start();
    let rest = if rest.starts_with(['\n', '\r']) { next.strip_prefix("- ").unwrap_or(rest) } else { rest };
    let rest = [">-", "|-", ">", "|", "!!str"]
        .iter()
        .find_map(|mark| rest.trim_start().strip_prefix(mark))
        .map_or(rest, str::trim_start);
    let trimmed = rest.trim_start_matches([' ', '\t', '>', '=', '[', '(']);
    let inner = trimmed.trim_start_matches(['"', '\'', '[', '`']);
    let is_quoted = inner.len() < trimmed.len() && !trimmed[..trimmed.len() - inner.len()].starts_with('[');
    let is_end = |c: char| {
        c.is_whitespace()
            || matches!(c, '"' | '\'' | '&' | ';' | ')' | '}' | ']' | '<' | '>' | '`' | ',' | '|')
    };
    let text = &inner[..inner.find(is_end).unwrap_or(inner.len())];
    let behind = &inner[text.len()..];
    let line = behind.split('\n').next().unwrap_or_default();
    let is_closed = line.trim_start().starts_with('}')
        || line.trim().is_empty()
        || line.starts_with([';', '&', '}', ')', ',', ']', '<', '"', '\''])
        || line.trim_start().split([' ', ';']).next().is_some_and(|next| next.contains('='));
    let next = window(behind, 16).to_ascii_lowercase();
    let next = next.trim_start_matches(|c: char| !c.is_alphanumeric());
    Value {
        text,
        is_quoted,
        is_closed,
        is_spaced: rest.starts_with(' '),
        has_port: next.starts_with("port") && !next.starts_with("ports"),
    }
}

fn judge_value(
    value: &Value<'_>,
    kind: MemberKind,
    mark: &str,
    member: MemberKind,
    (in_line, key): (bool, &str),
) -> Finding {
    let key = key.to_ascii_lowercase();
    let is_header = key.ends_with("host");
    let text = value.text;
    let is_server = kind == MemberKind::Host && mark == "=";
    if is_server && matches!(text, "." | "(local" | "0") && EXACT.contains(&key.as_str())
        || is_server && text.starts_with(".\\")
    {
        return Finding::Possible("a server of this machine");
    }
    if text.is_empty() || text.starts_with("//") || text.bytes().all(|b| b.is_ascii_digit()) && text.len() < 8
    {
        return Finding::Nothing;
    }
    if text.contains("://") {
        return Finding::Nothing;
    }
    if text.len() > MAX_AUTHORITY {
        return super::host::TOO_LONG;
    }
    let is_number = text.bytes().all(|b| b.is_ascii_digit());
    let found = judge_authority(text, if is_number { Certainty::Host } else { Certainty::Likely });
    if found.is_found() {
        return if kind == MemberKind::Host && mark == "=" && member != MemberKind::Version {
            found
        } else {
            found.possible()
        };
    }
    let text = text
        .split_once(':')
        .filter(|(protocol, _)| {
            super::tokens::TABLE.protocols.contains(&protocol.to_ascii_lowercase().as_str())
        })
        .map_or(text, |(_, rest)| rest);
    let text = text.split('\\').next().unwrap_or_default();
    let host = without_port(text.rsplit('@').next().unwrap_or_default());
    let lower = host.to_ascii_lowercase();
    let is_name = matches!(name_kind(host), NameKind::Single | NameKind::Private)
        && host.len() > 1
        && host.contains(|c: char| c.is_alphabetic())
        && !super::host::is_mixed_case(host)
        && !TABLE.words.contains(&lower.as_str());
    let in_code = matches!(member, MemberKind::Code) && !value.is_quoted;
    let is_assignment = member == MemberKind::Command && !value.is_spaced && (mark == "=" || is_header);
    let counts = kind == MemberKind::Host
        && (value.is_closed || is_assignment)
        && (!(in_code && mark == ":") || in_line)
        || kind == MemberKind::Host && value.is_quoted
        || value.has_port && (value.is_quoted || in_line);
    if is_name && counts { super::host::SINGLE } else { Finding::Nothing }
}

/// Judges the words after the directives of configurations.
fn judge_directives(text: &str) -> Finding {
    let mut found = Finding::Nothing;
    for line in text.split(['\n', ';', '{']) {
        let mut words = line.split_whitespace().map(|word| word.trim_matches(['"', '\'', ';']));
        let Some(first) = words.next() else { continue };
        let count = line.split_whitespace().take(8).count();
        if !TABLE.directives.contains(&first.to_ascii_lowercase().as_str()) || count > 7 {
            continue;
        }
        for word in words.take(4) {
            let place = if word.contains(['.', ':']) { Certainty::Likely } else { Certainty::Anywhere };
            found = found.max(judge_authority(word, place).possible());
            if word.starts_with(':') && super::ports::is_port(&word[1..]) {
                found = found.max(Finding::Possible("a port of this machine"));
            }
        }
        let names: Vec<&str> = line.split_whitespace().skip(1).take(4).collect();
        let single = names.iter().any(|name| name_kind(name.trim_end_matches(';')) == NameKind::Single);
        let has_port = names.iter().any(|name| super::ports::is_port(name));
        let is_setting = count == 2 && first.chars().next().is_some_and(char::is_uppercase)
            || has_port && first != "host"
            || first.contains("_pass")
            || count == 2 && ["host", "replicaof", "nameserver", "remote"].contains(&first);
        if single && is_setting {
            found = found.max(super::host::SINGLE);
        }
    }
    found
}
