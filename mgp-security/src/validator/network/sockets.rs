//! Finds sockets, pipes and paths of other machines in a text.

use super::{
    host::{Certainty, Finding, SINGLE, judge_host},
    names::{NameKind, name_kind},
};
use crate::validator::table::{self, Words};
use serde::Deserialize;
use std::sync::LazyLock;

/// The words of `sockets.toml`.
static TABLE: LazyLock<Table> = LazyLock::new(|| table::parse(include_str!("sockets.toml")));

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    sockets: Words,
}

/// Judges a text for sockets, pipes, and shares of other machines.
pub(super) fn judge_sockets(text: &str, is_command: bool) -> Finding {
    let lower = text.to_ascii_lowercase();
    let mut found = Finding::Nothing;
    if TABLE.sockets.iter().any(|name| lower.contains(name)) {
        found = Finding::Possible("a socket or a server of this machine");
    }
    if lower.contains("dbname=") && !lower.contains("host") {
        found = Finding::Possible("a database without a host, which may be of this machine");
    }
    let is_socket = [".sock", ".socket"].iter().any(|end| {
        lower.match_indices(end).any(|(at, end)| {
            let behind = lower[at + end.len()..].chars().next();
            let begins = lower[..at]
                .chars()
                .next_back()
                .is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '*' | '}'));
            let front = &lower[lower.ceil_char_boundary(at.saturating_sub(200))..at];
            let is_path = front
                .rsplit(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '=' | ','))
                .next()
                .is_some_and(|path| {
                    path.len() < 200
                        && (path.contains(['/', '\\', ':', '@', '$', '*'])
                            || lower.trim().len() == path.len() + end.len())
                });
            begins && is_path && behind.is_none_or(|c| !c.is_alphanumeric() && !matches!(c, '_' | '-' | '('))
        })
    });
    if is_socket {
        found = Finding::Possible("a socket of this machine");
    }
    found.max(judge_shares(text, is_command))
}

/// Judges the hosts of paths with two backslashes.
fn judge_shares(text: &str, is_command: bool) -> Finding {
    let mut found = Finding::Nothing;
    for (at, _) in text.match_indices("\\\\") {
        let before = text[..at].chars().next_back();
        if before.is_some_and(|c| c == '\\' || c == ':' || c == ']' || c.is_alphanumeric()) {
            continue;
        }
        let rest = text[at..].trim_start_matches('\\');
        let rest = if rest.get(..6).is_some_and(|start| {
            start.eq_ignore_ascii_case("?\\UNC\\") || start.eq_ignore_ascii_case(".\\UNC\\")
        }) {
            rest[6..].trim_start_matches('\\')
        } else {
            rest
        };
        let end = rest
            .char_indices()
            .take(300)
            .find(|(_, c)| matches!(c, '\\' | '/' | '"' | '\'' | '<' | '>') || c.is_whitespace());
        let Some((end, mark)) = end.or(Some((rest.len().min(300), ' '))) else { continue };
        let Some(host) = rest.get(..end) else { continue };
        let host = host.split('@').next().unwrap_or_default();
        let judged = judge_host(super::host::without_port(host), Certainty::Likely);
        let host = host.trim_end_matches('$');
        let is_whole_word =
            is_command && mark.is_whitespace() && host.len() > 2 && before.is_none_or(char::is_whitespace);
        let is_single =
            (mark == '\\' && rest.len() > end + 1 || is_whole_word) && name_kind(host) == NameKind::Single;
        let is_computed = mark == '\\' && host.starts_with(['%', '$']);
        let is_unknown = mark == '\\' && name_kind(host) == NameKind::Unknown;
        let judged = if text.trim_start().starts_with("\\\\") { judged } else { judged.possible() };
        found = found.max(judged);
        if is_single || is_computed || is_unknown || host == "." && mark == '\\' {
            found = found.max(SINGLE);
        }
    }
    found
}
