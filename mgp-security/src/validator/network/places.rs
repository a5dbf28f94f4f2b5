//! Finds the places in a text where a host can stand: URLs, values of `host=` and the like, lists.

use super::{
    host::{UNREADABLE, is_plain_word, is_small_number, judge_url, judge_whole, looks_like_any_host},
    keys::names_a_host,
};

/// The verdict on a text whose values for hosts contain each other so often that they are not judged one by one.
const TOO_MANY: &str = "too many places where a host can stand";

/// The most times that a text is read for the values in it, which may contain each other.
const READINGS: usize = 8;

/// The number of bytes of values that are judged in every text, however short it is.
const FEW_BYTES: usize = 1 << 20;

/// Judges every place of a text where a host can stand. `host_expected` is true if the text's member is one for hosts. The work is
/// proportional to the length of the text, not to its square.
pub(super) fn judge_text(text: &str, host_expected: bool) -> Option<&'static str> {
    names_a_socket(text)
        .then_some("a socket or a server of this machine")
        .or_else(|| urls_in(text).find_map(judge_url))
        .or_else(|| judge_pairs(text))
        .or_else(|| judge_items(text, host_expected))
}

/// Returns whether a text names a socket of this machine, or a database server of it, in the way of a connection string.
fn names_a_socket(text: &str) -> bool {
    const STARTS: &[&str] =
        &["host=/", "host='/", "@unix(/", "server=.", "server=(local", "data source=.", "data source=(local"];
    let lower = text.to_ascii_lowercase();
    STARTS.iter().any(|start| {
        lower.match_indices(start).any(|(at, found)| {
            let begins =
                found.starts_with('@') || !lower[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
            let behind = lower[at + found.len()..].chars().next();
            begins
                && (!found.ends_with('.')
                    || behind.is_none_or(|c| matches!(c, ';' | '\\' | ',' | ' ' | '"' | '\'')))
        })
    })
}

fn judge_pairs(text: &str) -> Option<&'static str> {
    let mut left = text.len().saturating_mul(READINGS).max(FEW_BYTES);
    for value in pairs_in(text) {
        let Some(rest) = left.checked_sub(value.len()) else { return Some(TOO_MANY) };
        left = rest;
        if !is_small_number(value)
            && let Some(what) = judge_items(value, true).filter(|what| *what != UNREADABLE)
        {
            return Some(what);
        }
    }
    None
}

/// Returns the URLs inside a text: the scheme of each, and the text behind its slashes up to the next slash, white space or quote.
fn urls_in(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut from = 0;
    std::iter::from_fn(move || {
        let at = from + text[from..].find("//")?;
        let scheme = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.' | ':');
        let start = text[..at].trim_end_matches(scheme).len();
        let rest = text[at..].trim_start_matches(['/', '\\']);
        let end = rest.find(|c: char| c.is_whitespace() || matches!(c, '/' | '"' | '\'' | '<' | '>' | '`'));
        let authority = &rest[..end.unwrap_or(rest.len())];
        from = text.len() - rest.len() + authority.len();
        Some((&text[start..at], authority))
    })
}

/// Returns the values that a text gives to names of hosts: `host=...`, `Host: ...`.
fn pairs_in(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices(['=', ':']).filter_map(move |(at, _)| {
        let before = text[..at].trim_end().trim_end_matches(['"', '\'']);
        let named = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
        let key = &before[before.trim_end_matches(named).len()..];
        // Checked before the value is searched for, because there may be as many marks as bytes.
        if !names_a_host(key) {
            return None;
        }
        let value = text[at + 1..].trim_start().trim_start_matches(['"', '\'']);
        let end = value.find(|c: char| {
            c.is_whitespace() || matches!(c, '"' | '\'' | '&' | ';' | ')' | '}' | '<' | '>' | '`')
        });
        let value = &value[..end.unwrap_or(value.len())];
        // A value that begins with slashes is a URL, and was judged as one.
        (!value.starts_with("//")).then_some(value)
    })
}

/// Judges a text as one host, or as a list of them.
fn judge_items(text: &str, host_expected: bool) -> Option<&'static str> {
    let items: Vec<&str> = text
        .split(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '|'))
        .filter(|item| !item.is_empty())
        .collect();
    if let [] | [_] = items[..] {
        return items.first().and_then(|item| judge_whole(item, host_expected));
    }
    let is_list = items.iter().all(|item| looks_like_any_host(item));
    let is_prose = !is_list && text.contains(char::is_whitespace);
    let judge = |item: &&str| {
        let judged = judge_whole(item, host_expected)?;
        let is_harmless =
            is_small_number(item) || (is_prose && (is_plain_word(item) || judged == UNREADABLE));
        (!is_harmless).then_some(judged)
    };
    if host_expected || is_list { items.iter().find_map(judge) } else { None }
}
