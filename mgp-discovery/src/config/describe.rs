//! Rephrases the messages of serde and of the TOML parser.

use super::{
    error::Finding,
    nearest::nearest,
    path::{KeyPath, Step},
    span::Spans,
};
use std::ops::Range;

/// Returns the parser's finding, and its place in the text.
pub(super) fn describe(error: &toml::de::Error, spans: Option<&Spans<'_>>) -> (Finding, Range<usize>) {
    let span = error.span().unwrap_or(0..0);
    let path = spans.and_then(|spans| spans.path_at(&span)).unwrap_or_default();
    let message = error.message();
    let finding = if let Some(names) = message.strip_prefix("unknown field ") {
        unknown(path, names, "unknown key", "known keys here")
    } else if let Some(names) = message.strip_prefix("unknown variant ") {
        unknown(path, names, "unknown value", "known values here")
    } else {
        let message = plain(message, may_be_secret(&path));
        Finding::new(path, message)
    };
    (finding, span)
}

/// Rephrases a message of serde about a name. serde writes every name in back quotes: first the one it found, then
/// those it knows.
fn unknown(path: KeyPath, names: &str, what: &str, list: &str) -> Finding {
    let mut names = names.split('`').skip(1).step_by(2);
    let found = names.next().unwrap_or_default();
    let known: Vec<&str> = names.collect();
    let all = format!("{list}: {}", known.join(", "));
    let help = match nearest(found, known.iter().copied()) {
        Some(meant) => format!("did you mean {meant:?}? {all}"),
        None => all,
    };
    Finding::new(path, format!("{what} {found:?}")).help(help)
}

/// Rephrases a message about a type: Rust's names of types mean nothing to the author of a file, and a value that may
/// be secret is not repeated.
fn plain(message: &str, secret: bool) -> String {
    let Some((found, expected)) = message.rsplit_once(", expected ") else { return message.to_owned() };
    let kind = found.split(['"', '`']).next().unwrap_or_default().trim_end();
    let found = if secret { kind } else { found };
    let expected = match expected {
        "u64" | "u32" | "usize" => "a whole number, not negative",
        "a sequence" => "a list",
        "a map" => "a table",
        name if name.starts_with("struct ") => "a table",
        name => name,
    };
    format!("{found}, expected {expected}")
}

fn may_be_secret(path: &KeyPath) -> bool {
    let secret = |key: &str| {
        matches!(
            key,
            "env"
                | "headers"
                | "auth"
                | "url"
                | "args"
                | "api_keys"
                | "client_secret"
                | "traces_authorization"
        )
    };
    path.steps().iter().any(|step| matches!(step, Step::Key(key) if secret(key)))
}
