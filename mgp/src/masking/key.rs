//! The look of keys.

use mgp_security::results::find_secrets;
use mgp_transport::child::ChildCommand;

/// The words before a token in a header.
const SCHEMES: [&str; 4] = ["apikey ", "basic ", "bearer ", "token "];

/// The last words of names whose values are not secret, such as `TOKEN_URL`.
const NOT_SECRET: [&str; 33] = [
    "ALGORITHM",
    "AUDIENCE",
    "COUNT",
    "DIR",
    "DISABLED",
    "ENABLED",
    "ENDPOINT",
    "EXPIRY",
    "FILE",
    "FLOW",
    "FORMAT",
    "HEADER",
    "HOST",
    "ID",
    "ISSUER",
    "LENGTH",
    "LIMIT",
    "METHOD",
    "MODE",
    "NAME",
    "PATH",
    "PORT",
    "PREFIX",
    "PROVIDER",
    "SCHEME",
    "SCOPE",
    "SCOPES",
    "TIMEOUT",
    "TOKENS",
    "TTL",
    "TYPE",
    "URI",
    "URL",
];

/// Returns whether a value with this name looks like a key.
pub(crate) fn looks_like_key(name: &str, text: &str) -> bool {
    let (_, secret) = split_scheme(text);
    names_key(name) && may_be_key(secret)
        || ChildCommand::holds_credentials(secret)
        // The rules know keys by their form, and by the words before them.
        || find_secrets(&format!("{name}={text}")).is_ok_and(|found| !found.is_empty())
}

/// Returns the word before a token in a header, and the token.
pub(crate) fn split_scheme(text: &str) -> (&str, &str) {
    let lower = text.to_ascii_lowercase();
    let scheme = SCHEMES.iter().find(|scheme| lower.starts_with(**scheme)).map_or(0, |scheme| scheme.len());
    text.split_at(scheme)
}

/// Returns whether a variable or a header has a name for keys.
fn names_key(name: &str) -> bool {
    let name = name.replace('-', "_").to_ascii_uppercase();
    let is_for_keys = ChildCommand::names_secret(&name) || name.ends_with("KEY") || name == "COOKIE";
    let last = name.rsplit('_').next().unwrap_or_default();
    is_for_keys && !NOT_SECRET.contains(&last)
}

/// Returns whether a text may be a key: not a path, an address, a number, a switch or a placeholder.
fn may_be_key(text: &str) -> bool {
    let is_path = text.starts_with(['/', '~', '.']) || text.get(1..3) == Some(":\\");
    let is_number = text.len() < 8 && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_switch = ["true", "false", "yes", "no", "on", "off", "none", "null"]
        .iter()
        .any(|switch| text.eq_ignore_ascii_case(switch));
    let is_placeholder =
        text.starts_with('<') && text.ends_with('>') || text.to_ascii_uppercase().starts_with("YOUR");
    !(text.is_empty() || is_path || is_number || is_switch || is_placeholder || text.contains("://"))
}
