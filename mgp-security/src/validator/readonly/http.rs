//! HTTP: only `GET`, `HEAD` and `OPTIONS` read.

use super::{finding::Finding, names};
use crate::{
    validator::{
        Leaf,
        table::{self, Words},
    },
    words::{joined, words},
};
use serde::Deserialize;
use std::sync::LazyLock;

/// The words of `http.toml`.
static TABLE: LazyLock<Table> = LazyLock::new(|| table::parse(include_str!("http.toml")));

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    of_http: Words,
    of_extensions: Words,
    acting: Words,
    paths: Words,
    actions: Words,
}

/// Methods that read.
const READS: &[&str] = &["GET", "HEAD", "OPTIONS", "TRACE", "SEARCH", "REPORT", "PROPFIND"];

const HARM: Finding = Finding::Harm("an HTTP method that writes");
const DOUBT: Finding = Finding::Doubt("a possible HTTP method that writes");

/// Returns whether a method in upper case changes something.
fn writes(method: &str) -> bool {
    TABLE.of_http.contains(&method) || TABLE.of_extensions.contains(&method)
}

/// Returns whether a string is a network address.
pub(super) fn is_address(leaf: &Leaf) -> bool {
    let key = words(leaf.key());
    let named = key.iter().any(|word| {
        ["url", "uri", "endpoint", "path", "route", "href", "resource", "href"].contains(&word.as_str())
    });
    leaf.text.contains("://") || named && leaf.text.starts_with('/')
}

/// Returns whether a string is in a member for a method.
pub(super) fn is_method(leaf: &Leaf) -> bool {
    let key = leaf.key().to_ascii_lowercase();
    key.ends_with("method") || key.ends_with("verb")
}

/// Returns whether a string is a method that only reads.
pub(super) fn gets(leaf: &Leaf) -> bool {
    READS[..3].iter().any(|method| leaf.text.trim().eq_ignore_ascii_case(method))
}

/// Judges an address that a method reads: servers may act on `/users/5/delete` whatever the method is.
pub(super) fn judge_path(leaf: &Leaf) -> Option<Finding> {
    let path = leaf.text.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/');
    let last = words(path.rsplit('/').next().unwrap_or_default());
    let acts = last.first().is_some_and(|verb| TABLE.acting.contains(&verb.as_str()));
    (is_address(leaf) && acts).then_some(Finding::Doubt("a path that ends in a change"))
}

/// Judges a string. `address` is true if the arguments contain an address.
pub(super) fn judge(leaf: &Leaf, address: bool) -> Option<Finding> {
    let text = leaf.text.trim_matches(|c: char| c.is_whitespace() || "'\"`;\0".contains(c));
    let upper = text.to_ascii_uppercase();
    let key = leaf.key().to_ascii_lowercase();
    let method = key.ends_with("method") || key.ends_with("verb") || joined(&key) == "requesttype";
    if method && TABLE.of_http.contains(&upper.as_str()) {
        return Some(HARM);
    }
    let short = text.len() <= 40 && !text.contains(['/', ' ', '\n']);
    if address && writes(&upper) && !key.contains("header") {
        return Some(DOUBT);
    }
    let within = leaf.pointer.to_ascii_lowercase();
    let holds_method = method || within.contains("/method/") || key.ends_with("methods");
    let allow = within.contains("access-control") || within.contains("/allow");
    if holds_method && !allow {
        let verbs =
            upper.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-')).filter(|part| !part.is_empty());
        let mut verbs = verbs.peekable();
        let odd =
            verbs.peek().is_some() && address && short && !verbs.clone().any(|verb| READS.contains(&verb));
        if odd || verbs.any(writes) && (address || text.len() <= 16 || text.contains('/')) {
            return Some(DOUBT);
        }
    }
    let option = ["-method ", "-x ", "--request "].iter().any(|option| {
        upper.to_ascii_lowercase().split(option).skip(1).any(|rest| {
            ["post", "put", "patch", "delete"].iter().any(|verb| rest.trim_start().starts_with(verb))
        })
    });
    if address
        && [
            "--data",
            "-d",
            "--form",
            "-F",
            "--upload-file",
            "-T",
            "--post-data",
            "--json",
            "--data-raw",
            "--data-binary",
        ]
        .contains(&text)
    {
        return Some(DOUBT);
    }
    if option && (upper.contains("://") || upper.starts_with('-'))
        || text.contains("?mode=rw")
        || text.contains("&mode=rw")
        || text.starts_with("ext::")
    {
        return Some(DOUBT);
    }
    let prose = super::kinds::is_prose(leaf) && !text.contains(['\n', '{'])
        || super::kinds::is_prose(leaf) && text.split(' ').count() > 2;
    if prose {
        return None;
    }
    if text.lines().any(is_request)
        || text.split("\r\n").any(is_request)
        || overrides(text)
        || address_writes(text, leaf)
    {
        return Some(DOUBT);
    }
    None
}

/// Returns whether a line is that of a request which changes something: a method, followed by an address.
fn is_request(line: &str) -> bool {
    let mut parts = line.trim_start().splitn(3, [' ', '\t']);
    let verb = parts.next().unwrap_or_default().trim_matches(['"', '\'', ':']);
    let target = parts.next().unwrap_or_default();
    let verb = verb.to_ascii_uppercase();
    let addressed = target.starts_with(['/', '_', '{', '*'])
        || target.contains("://")
        || target.contains('/') && target.len() > 2;
    writes(&verb)
        && addressed
        && !verb.is_empty()
        && line.trim_start().starts_with(|c: char| c.is_ascii_uppercase() || c == '"')
        || TABLE.of_http.contains(&verb.as_str()) && (target.starts_with('/') || target.contains("://"))
}

/// Returns whether a text overrides the method.
fn overrides(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    ["method-override", "x-http-method", "_method=", "$method=", "x-method", "httpmethod="]
        .iter()
        .any(|name| lower.contains(name))
}

/// Judges the name of a member: a header that overrides the method.
pub(super) fn judge_name(leaf: &Leaf) -> Option<Finding> {
    (overrides(&leaf.text) || ["_method", "$method", ":method"].contains(&leaf.text.as_str()))
        .then_some(DOUBT)
}

/// Returns whether an address names a change: in a part of a path that begins with a mark, or in the value of a parameter for actions.
fn address_writes(text: &str, leaf: &Leaf) -> bool {
    if text.contains(char::is_whitespace)
        || !is_address(leaf) && !text.contains("/_") && !text.starts_with('_')
    {
        return false;
    }
    let (path, query) = text.split_once('?').unwrap_or((text, ""));
    let segments = || path.split('/').filter(|part| !part.is_empty());
    let scheme = ["dict://", "gopher://", "ext::"].iter().any(|scheme| path.starts_with(scheme));
    let underscore = segments().any(|part| {
        part.starts_with('_')
            && part.len() > 3
            && text.contains('/')
            && !part.contains('.')
            && !TABLE.paths.contains(&part)
    });
    let named = segments().any(|part| TABLE.actions.contains(&part));
    let rpc = segments().any(|part| {
        part.rsplit_once(':').is_some_and(|(_, action)| names::changes(action) && !part.contains('.'))
    });
    let database = !path.starts_with("http") && path.contains("?mode=");
    let asks = query.split(['&', '#', ';']).filter_map(|pair| pair.split_once('=')).any(|(name, value)| {
        let name = joined(name);
        (["action", "command", "cmd", "op", "operation", "method", "do", "request"].contains(&name.as_str())
            && names::changes(value))
            || name == "mode" && value.contains(['w', 'c'])
            || ["commit", "optimize", "clean"].contains(&name.as_str()) && value == "true"
            || name.contains("pragma")
            || ["query", "sql", "stmt", "statement"].contains(&name.as_str())
                && matches!(
                    super::statements::start(&value.replace(['+'], " ").replace("%20", " ")),
                    Some(super::statements::Start::Changes { fits: true, .. })
                )
    });
    scheme || underscore || named || rpc || database || asks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_count_next_to_an_address_and_in_requests() {
        for (member, text, finds) in [
            ("/verb", "PURGE", true),
            ("/method", "get", false),
            ("/method", "HEAD", false),
            ("/op", "DELETE", true),
            ("/request", "PUT https://example.com/a\n\n{}", true),
            ("/endpoint", "GET /repos", false),
            ("/title", "POST is retried after a timeout", false),
            ("/url", "https://example.com/a?_method=PUT", true),
            ("/url", "https://example.com/posts/update", false),
            ("/path", "/orders/_delete_by_query", true),
            ("/path", "/orders/_search", false),
        ] {
            assert_eq!(judge(&Leaf::new(member, text), true).is_some(), finds, "{member} {text}");
        }
    }
}
