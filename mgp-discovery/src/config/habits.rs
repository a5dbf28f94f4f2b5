//! Advice on mistakes that are habits from other hosts' files, JSON and YAML.

use super::{
    Auth, HttpConfig, KernelConfig, PermissionsConfig, ServerConfig, ServerConfinement, ServerMgp,
    path::{KeyPath, Step},
};
use serde::de::DeserializeOwned;
use std::ops::Range;

/// Top-level keys of other hosts' files, without case and separators, with advice.
const TOP: &[(&[&str], &str)] = &[(
    &["mcpservers", "mcpserver", "mcp", "contextservers", "extensions"],
    "each server is a table [[servers]] with an id; `mgp init --from FILE` makes them of another host's file",
)];

/// Server keys of other hosts' files, without case and separators, with advice.
const OF_SERVER: &[(&[&str], &str)] = &[
    (&["enabled", "enable", "active"], "write disabled = true for a server that is left out"),
    (&["name", "title", "label"], "a server is named by its id"),
    (&["type"], "write transport = \"stdio\" or \"http\", or leave it out"),
    (&["cmd", "program", "executable"], "the program to start is command"),
    (&["envs", "environment"], "variables of the program go in [servers.env]"),
    (
        &["envvars", "passenv", "inheritenv"],
        "variables of the gateway that the program gets are named in inherit",
    ),
    (&["envfile"], "files of variables are not read: write each variable under [servers.env]"),
    (&["serverurl", "httpurl", "uri", "endpoint", "address"], "the server's address is url"),
    (&["workingdirectory", "workdir", "dir", "directory"], "the program's folder is cwd"),
    (&["httpheaders", "envhttpheaders"], "headers go in [servers.headers]"),
    (
        &["token", "bearertoken", "bearertokenenvvar", "authorization"],
        "a token is written auth = { bearer = \"${TOKEN}\" }",
    ),
    (&["timeout", "tooltimeoutsec", "requesttimeoutms"], "write call_timeout_ms under [servers.mgp]"),
    (&["startuptimeoutsec", "connectiontimeout"], "write startup_timeout_ms under [servers.mgp]"),
    (
        &["disabledtools", "excludetools", "excludedtools"],
        "write disabled = [\"TOOL\"] under [servers.mgp] for tools that are left out",
    ),
    (
        &["enabledtools", "includetools", "allowedtools", "tools"],
        "name the tools that an agent may use in [[access.grants]], each with its tool",
    ),
    (
        &["autoapprove", "alwaysallow", "trust"],
        "confirmation under [servers.mgp] sets the calls that need a confirmation",
    ),
];

/// Returns advice on an unknown key at a path, if the key belongs to another host or another table.
pub(super) fn of_key(path: &KeyPath, key: &str) -> Option<String> {
    let plain: String =
        key.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    let known = |table: &[(&[&str], &str)]| {
        let row = table.iter().find(|(keys, _)| keys.contains(&&*plain));
        row.map(|(_, advice)| (*advice).to_owned())
    };
    let (advice, places) = match path.steps() {
        [_] => (known(TOP), AT_TOP),
        [Step::Key(table), _] if table == "kernel" => (None, AT_KERNEL),
        [Step::Key(table), Step::Index(_), _] if table == "servers" => (known(OF_SERVER), AT_SERVER),
        [Step::Key(table), Step::Index(_), ..] if table == "servers" => (known(OF_SERVER), IN_SERVER),
        _ => return None,
    };
    advice.or_else(|| {
        let (place, _) = places.iter().find(|(_, has)| has(key))?;
        Some(format!("{key} belongs in {place}"))
    })
}

/// A table, and a function that returns whether the table has a key.
type Table = (&'static str, fn(&str) -> bool);

const SERVER: Table = ("[[servers]]", is_key_of::<ServerConfig>);
const MGP: Table = ("[servers.mgp]", is_key_of::<ServerMgp>);
const CONFINEMENT: Table = ("[servers.confinement]", is_key_of::<ServerConfinement>);
const HTTP: Table = ("[http]", is_key_of::<HttpConfig>);

/// The tables that top-level keys may belong to.
const AT_TOP: &[Table] = &[("[kernel]", is_key_of::<KernelConfig>), HTTP, SERVER];
/// The tables that keys of `[kernel]` may belong to.
const AT_KERNEL: &[Table] = &[HTTP, ("[permissions]", is_key_of::<PermissionsConfig>), SERVER];
/// The tables that keys of a server may belong to.
const AT_SERVER: &[Table] = &[MGP, CONFINEMENT, ("[servers.auth]", is_key_of::<Auth>)];
/// The tables that keys below a server may belong to.
const IN_SERVER: &[Table] = &[SERVER, MGP, CONFINEMENT];

/// Returns whether a table has a key, by trying to parse the key.
fn is_key_of<T: DeserializeOwned>(key: &str) -> bool {
    let is_bare = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let unknown = |error: toml::de::Error| error.message().starts_with("unknown field ");
    !key.is_empty()
        && key.chars().all(is_bare)
        && !toml::from_str::<T>(&format!("{key} = 0")).is_err_and(unknown)
}

/// Returns advice on an unknown value of a key, if it is a value of another host.
pub(super) fn of_value(path: &KeyPath, value: &str) -> Option<String> {
    let Step::Key(key) = path.steps().last()? else { return None };
    let advice = match value {
        "sse" | "streamableHttp" | "streamable_http" | "remote" if key == "transport" => {
            "write \"http\": the server itself is asked which transport over HTTP it speaks"
        }
        "local" if key == "transport" => "write \"stdio\"",
        _ => return None,
    };
    Some(advice.to_owned())
}

/// Returns advice on a value of the wrong type: `found` is the type, `expected` the type that belongs there.
pub(super) fn of_type(path: &KeyPath, found: &str, expected: &str) -> Option<&'static str> {
    let has = |kind: &str| found.contains(kind);
    match (path.steps().last()?, expected) {
        (Step::Key(key), "a list") if key == "servers" => {
            Some("each server is a separate table: [[servers]] in double brackets, with its name as the id")
        }
        (Step::Key(key), "a list") if key == "args" => {
            Some("each argument is a separate string: args = [\"-y\", \"PACKAGE\"]")
        }
        (Step::Key(key), "a string") if key == "command" && has("sequence") => {
            Some("command is only the program; its arguments go in args")
        }
        (_, "a list") if has("string") => Some("write it in brackets: [\"...\"]"),
        (_, "a boolean") if has("string") => Some("write true or false, without quotes"),
        (_, "a string") if has("integer") || has("float") || has("boolean") => Some("write it in quotes"),
        (_, expected) if expected.starts_with("a whole number") && has("string") => {
            Some("write only the number, without quotes or unit")
        }
        _ => None,
    }
}

/// Returns advice on text that is not TOML, at a position. `message` is the parser's.
pub(super) fn of_syntax(text: &str, span: &Range<usize>, message: &str) -> Option<&'static str> {
    let start = text.get(..span.start)?.rfind('\n').map_or(0, |at| at + 1);
    let line = text.get(start..)?.lines().next()?;
    let rest = text.get(span.start..)?;
    if ["missing escaped value", "too few unicode", "invalid value, expected unicode"]
        .iter()
        .any(|known| message.starts_with(known))
    {
        return Some(BACKSLASH);
    }
    if rest.starts_with(['\u{201c}', '\u{201d}', '\u{2018}', '\u{2019}']) {
        return Some("write straight quotes: \"...\"");
    }
    let value = line.split_once('=').map_or("", |(_, value)| value.trim());
    if ["True", "False", "TRUE", "FALSE"].iter().any(|word| value.starts_with(word)) {
        return Some("true and false are written in lower case");
    }
    let is_word = |c: char| c.is_ascii_alphabetic() || matches!(c, '.' | '/' | '~' | '@' | '$');
    if value.starts_with(is_word) {
        return Some("write a string in quotes: \"...\"");
    }
    let key = line.trim_start().trim_start_matches(['-', ' ', '"']);
    let after = key.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '"'));
    let is_yaml = after.len() < key.len() && after.trim_start().starts_with(':');
    is_yaml.then_some("TOML writes a key and its value as key = \"value\", and a table as [table]")
}

/// The advice on a backslash in a string.
pub(super) const BACKSLASH: &str = "in \"...\" a backslash begins an escape: write 'C:\\x' in single quotes, or \"C:\\\\x\" with each backslash twice";

/// Returns whether a text looks like a path of Windows in which the escapes of backslashes became control characters.
pub(super) fn has_lost_backslashes(text: &str) -> bool {
    let is_drive = matches!(text.as_bytes(), [drive, b':', ..] if drive.is_ascii_alphabetic());
    let Some(rest) = text.get(2..).filter(|_| is_drive) else { return false };
    rest.starts_with(|c: char| c == '\\' || c.is_control())
        && rest.contains(char::is_control)
        && !rest.contains([' ', ':'])
}

/// Returns the rest of a path that begins with a shell's home folder, which is not expanded here.
pub(super) fn below_home(path: &str) -> Option<&str> {
    path.strip_prefix('~').filter(|rest| rest.is_empty() || rest.starts_with(['/', '\\']))
}

/// Returns whether a text is JSON, with or without comments, and therefore not TOML.
pub(super) fn is_json(text: &str) -> bool {
    let text = text.trim_start_matches('\u{feff}').trim_start();
    text.starts_with('{') || text.starts_with("//") || text.starts_with("/*")
}
