//! Rephrases the messages of serde and of the TOML parser.

use super::{
    error::Finding,
    habits,
    nearest::nearest,
    path::{KeyPath, Step},
    span::Spans,
};
use std::{ops::Range, path::Path};

/// Returns the parser's finding and its position in the text.
pub(super) fn describe(name: &Path, text: &str, error: &toml::de::Error) -> (Finding, Range<usize>) {
    if habits::is_json(text) {
        let finding = Finding::new(KeyPath::root(), "this is JSON: expected TOML");
        let help = format!("`mgp init --from {}` makes a configuration of its servers", name.display());
        return (finding.help(help), 0..0);
    }
    let spans = Spans::read(text);
    let span = error.span().unwrap_or(0..0);
    let path = spans.as_ref().and_then(|spans| spans.path_at(&span)).unwrap_or_default();
    let message = error.message();
    let finding = if let Some(names) = message.strip_prefix("unknown field ") {
        unknown(path, names, ("unknown key", "known keys here"), habits::of_key)
    } else if let Some(names) = message.strip_prefix("unknown variant ") {
        unknown(path, names, ("unknown value", "known values here"), habits::of_value)
    } else if spans.is_none() {
        let help = habits::of_syntax(text, &span, message);
        advised(Finding::new(path, plain(message, false).0), help)
    } else {
        let (message, help) = typed(message, &path);
        advised(Finding::new(path, message), help)
    };
    (finding, span)
}

fn advised(finding: Finding, help: Option<&str>) -> Finding {
    match help {
        Some(help) => finding.help(help),
        None => finding,
    }
}

/// Rephrases a message of serde about a name. serde writes every name in backquotes: first the unknown name, then the known ones. `advise`
/// handles names from other hosts' files.
fn unknown(
    path: KeyPath,
    names: &str,
    (what, list): (&str, &str),
    advise: fn(&KeyPath, &str) -> Option<String>,
) -> Finding {
    let mut names = names.split('`').skip(1).step_by(2);
    let found = names.next().unwrap_or_default();
    let known: Vec<&str> = names.collect();
    let all = format!("{list}: {}", known.join(", "));
    let help = match nearest(found, known.iter().copied()) {
        Some(meant) => format!("did you mean {meant:?}? {all}"),
        None => match advise(&path, found) {
            Some(advice) => format!("{advice}; {all}"),
            None => all,
        },
    };
    Finding::new(path, format!("{what} {found:?}")).help(help)
}

/// Rephrases a message about a type, with advice. Rust's type names mean nothing to the author of a file, and a value that may be secret is
/// not repeated.
fn typed(message: &str, path: &KeyPath) -> (String, Option<&'static str>) {
    let (message, parts) = plain(message, may_be_secret(path));
    let help = parts.and_then(|(found, expected)| habits::of_type(path, &found, &expected));
    (message, help)
}

/// Rephrases a message of the form "found, expected this", and returns these two parts.
fn plain(message: &str, secret: bool) -> (String, Option<(String, String)>) {
    let Some((found, expected)) = message.rsplit_once(", expected ") else {
        return (message.to_owned(), None);
    };
    let kind = found.split(['"', '`']).next().unwrap_or_default().trim_end();
    let found = if secret { kind } else { found };
    let expected = match expected {
        "u64" | "u32" | "usize" => "a whole number, not negative",
        "a sequence" => "a list",
        "a map" => "a table",
        name if name.starts_with("struct ") => "a table",
        name => name,
    };
    (format!("{found}, expected {expected}"), Some((kind.to_owned(), expected.to_owned())))
}

pub(super) fn may_be_secret(path: &KeyPath) -> bool {
    let secret = |key: &str| {
        matches!(
            key,
            "env"
                | "headers"
                | "auth"
                | "url"
                | "args"
                | "argv"
                | "token"
                | "api_keys"
                | "client_secret"
                | "traces_authorization"
        )
    };
    path.steps().iter().any(|step| matches!(step, Step::Key(key) if secret(key)))
}
