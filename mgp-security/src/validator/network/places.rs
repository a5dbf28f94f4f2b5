//! The places in a text where a host can stand: URLs, values of `host=` and the like, lists.

use super::{
    host::{UNREADABLE, is_plain_word, is_small_number, judge_url, judge_whole, looks_like_any_host},
    keys::names_a_host,
};

/// Judges every place of a text. `host_expected` says that its member is one for hosts.
pub(super) fn judge_text(text: &str, host_expected: bool) -> Option<&'static str> {
    urls_in(text)
        .find_map(judge_url)
        .or_else(|| {
            let values = pairs_in(text).filter(|value| !is_small_number(value));
            values.filter_map(|value| judge_items(value, true)).find(|what| *what != UNREADABLE)
        })
        .or_else(|| judge_items(text, host_expected))
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

/// The values that a text gives to names of hosts: `host=...`, `Host: ...`.
fn pairs_in(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices(['=', ':']).filter_map(move |(at, _)| {
        let before = text[..at].trim_end().trim_end_matches(['"', '\'']);
        let named = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
        let key = &before[before.trim_end_matches(named).len()..];
        let value = text[at + 1..].trim_start().trim_start_matches(['"', '\'']);
        let end = value.find(|c: char| {
            c.is_whitespace() || matches!(c, '"' | '\'' | '&' | ';' | ')' | '}' | '<' | '>' | '`')
        });
        let value = &value[..end.unwrap_or(value.len())];
        // What begins with slashes is a URL, and was judged as one.
        (names_a_host(key) && !value.starts_with("//")).then_some(value)
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
