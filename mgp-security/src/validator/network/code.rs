//! Judges code: literals next to a port or in a call that connects, and values that mean this machine.

use super::{
    address::{is_private, read_address, read_v4},
    host::{Certainty, Finding, SINGLE, judge_host},
    keys::{MemberKind, member_kind},
    names::{NameKind, name_kind},
    ports::is_port,
    urls::window,
};
use crate::validator::table::{self, Words};
use serde::Deserialize;
use std::sync::LazyLock;

/// The words of `code.toml`.
static TABLE: LazyLock<Table> = LazyLock::new(|| table::parse(include_str!("code.toml")));

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    this_machine: Words,
    calls: Words,
    connecting: Words,
}

/// The most bytes before a literal in which the name of a function is sought.
const NAME: usize = 48;

/// Judges the literals in code.
pub(super) fn judge_code(text: &str) -> Finding {
    let lower = text.to_ascii_lowercase();
    let mut found = Finding::Nothing;
    if TABLE.this_machine.iter().any(|part| lower.contains(part)) {
        found = Finding::Possible("a value that may stand for this machine");
    }
    if octets(text) {
        found = Finding::Possible("the numbers of an address of a private network");
    }
    let mut previous = (0, MemberKind::Other);
    for (start, literal, end) in literals(text) {
        let is_value = start >= previous.0
            && matches!(text[previous.0..start].trim(), "," | "=>" | ":")
            && previous.1 == MemberKind::Host;
        // The text between two literals is not a literal.
        if start < previous.0 {
            continue;
        }
        let is_clear = literal.to_ascii_lowercase().ends_with("host");
        previous =
            (end, if is_clear && literal.len() < 64 { member_kind(literal) } else { MemberKind::Other });
        let before = &text[..start];
        let near = &lower[lower.floor_char_boundary(start.saturating_sub(NAME))..start];
        let behind = window(&text[end..], NAME).trim_start_matches([',', ' ', ')', '\n']);
        let port_behind: String =
            behind.trim_start_matches(['"', '\'']).chars().take_while(char::is_ascii_digit).take(6).collect();
        let has_comma = text[end..].trim_start_matches(' ').starts_with(',');
        let digits_before = before
            .trim_end_matches(['(', ' '])
            .strip_suffix(',')
            .map(|front| &front[front.trim_end_matches(|c: char| c.is_ascii_digit()).len()..]);
        let is_year =
            port_behind.len() == 4 && (port_behind.starts_with("19") || port_behind.starts_with("20"));
        let with_port = has_comma && !is_year && is_port(&port_behind)
            || digits_before
                .is_some_and(|port| is_port(port) && !port.is_empty() && front_ends(before, port));
        let line = near.rsplit(['\n', ';']).next().unwrap_or_default();
        let in_call = !line.contains("version")
            && TABLE.calls.iter().any(|call| line.contains(call))
            && before.trim_end().ends_with(['(', '[', ',', '=', ':', 'c', '>', 'r'])
            || line.ends_with("using ")
            || line.ends_with("host ");
        if literal.is_empty() {
            if with_port && before.ends_with(['(', ' ']) {
                found = found.max(Finding::Possible("a server without a host, which is this machine"));
            }
            continue;
        }
        let judged = judge_host(super::host::without_port(literal), Certainty::Likely);
        let address = read_address(literal).is_some_and(|(ip, _)| is_private(ip));
        let is_single = matches!(name_kind(literal), NameKind::Single | NameKind::Private)
            && literal.len() > 1
            && literal.contains(|c: char| c.is_alphabetic());
        if (with_port || in_call) && (judged.is_found() || address && literal.len() > 2) {
            found = found.max(judged.max(super::host::ADDRESS).possible());
        }
        if is_single && (is_value || with_port || is_call(line)) {
            found = found.max(SINGLE);
        }
    }
    found
}

/// Returns whether a text ends with a port as the first argument of a call.
fn front_ends(before: &str, port: &str) -> bool {
    let front = before.trim_end_matches(['(', ' ']).trim_end_matches(',');
    front.strip_suffix(port).is_some_and(|call| call.ends_with('('))
}

/// Returns whether the end of a line is a call that connects, with its first argument still open.
fn is_call(line: &str) -> bool {
    let Some(open) = line.rfind(['(', '{', '[', ' ', '=']) else { return false };
    let call = line[..open].trim_end_matches(['(', '[', ' ']);
    TABLE.connecting.iter().any(|name| call.ends_with(name.trim_end_matches('(')) || line.ends_with(name))
}

/// Returns the literals of a text: the start of each, its text, and the end with the closing quote. Only literals as short as hosts count.
fn literals(text: &str) -> impl Iterator<Item = (usize, &str, usize)> {
    let marks: Vec<(usize, char)> =
        text.char_indices().filter(|(_, c)| matches!(c, '"' | '\'' | '`')).collect();
    (0..marks.len()).filter_map(move |at| {
        let ((start, open), (end, close)) = (marks[at], *marks.get(at + 1)?);
        (open == close && end - start < 256).then(|| (start, &text[start + 1..end], end + 1))
    })
}

/// Returns whether a text contains the four numbers of a private address, with commas between them.
fn octets(text: &str) -> bool {
    let numbers: Vec<&str> = text.split(',').collect();
    numbers.windows(4).any(|four| {
        let first = four[0].trim_end();
        let first = &first[first.trim_end_matches(|c: char| c.is_ascii_digit()).len()..];
        let last = four[3].trim_start();
        let last = &last[..last.len() - last.trim_start_matches(|c: char| c.is_ascii_digit()).len()];
        let middle = |text: &str| {
            text.trim().len() <= 3
                && !text.trim().is_empty()
                && text.trim().bytes().all(|b| b.is_ascii_digit())
        };
        let is_start = first == "127"
            || first == "169"
            || first == "192"
            || first == "172"
            || (first == "10" && four[1].trim() == "0" && four[2].trim() == "0");
        is_start
            && first.len() <= 3
            && middle(four[1])
            && middle(four[2])
            && (1..=3).contains(&last.len())
            && read_v4(&format!("{first}.{}.{}.{last}", four[1].trim(), four[2].trim()))
                .is_some_and(|(ip, _)| is_private(ip.into()))
    })
}
