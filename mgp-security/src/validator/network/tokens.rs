//! Finds hosts among the words of a text that is not declared as one.

use super::{
    address::{Form, is_private, read_address},
    host::{ADDRESS, Finding, NAME},
    keys::MemberKind,
    names::{NameKind, is_known_private, name_kind},
    ports::{is_any_port, is_port},
};
use crate::validator::table::{self, Words};
use serde::Deserialize;
use std::sync::LazyLock;

/// The words of `tokens.toml`.
pub(super) static TABLE: LazyLock<Table> = LazyLock::new(|| table::parse(include_str!("tokens.toml")));

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Table {
    files: Words,
    users: Words,
    pub(super) protocols: Words,
}

/// Networks that are written without trailing zeros.
const NETWORKS: &[&str] = &["172.16/12", "192.168/16", "169.254/16", "100.64/10"];

/// The same, for networks that may also be a date or a share.
const SHORT_NETWORKS: &[&str] = &["10/8", "127/8"];

/// Judges the words of a text.
pub(super) fn judge_tokens(text: &str, member: MemberKind) -> Finding {
    let part =
        |c: char| c.is_alphanumeric() || matches!(c, '.' | ':' | '-' | '_' | '@' | '%' | '[' | ']' | '/');
    let whole = text.trim();
    let mut found = Finding::Nothing;
    let mut from = 0;
    for word in text.split(|c: char| !part(c)) {
        let before = &text[..from];
        from += word.len();
        let behind = text[from..].chars().next();
        from += behind.map_or(0, char::len_utf8);
        if word.is_empty() {
            continue;
        }
        let is_network = NETWORKS.contains(&word)
            || SHORT_NETWORKS.contains(&word)
                && matches!(member, MemberKind::Host | MemberKind::Likely | MemberKind::Command);
        if is_network {
            found = found.max(Finding::Possible("a private network"));
        }
        for (at, token) in word.split('/').scan(0, |at, token| {
            let start = *at;
            *at += token.len() + 1;
            Some((start, token))
        }) {
            let context = Context {
                whole: whole.len() == token.len(),
                is_first: at == 0,
                is_index: before.ends_with([')', ']']),
                given: at == 0 && before.ends_with(['=', '@', '(', '"', '\'']),
                behind: if at + token.len() == word.len() { behind } else { Some('/') },
            };
            found = found.max(judge_token(token, member, context));
        }
    }
    found
}

/// The surroundings of a word.
#[derive(Debug, Clone, Copy)]
struct Context {
    /// The word is the whole text.
    whole: bool,
    /// The word is not a later part of a path.
    is_first: bool,
    /// The word follows a bracket, as the range of an index does.
    is_index: bool,
    /// The word follows a sign that assigns a value.
    given: bool,
    /// The character after the word.
    behind: Option<char>,
}

fn judge_token(token: &str, member: MemberKind, context: Context) -> Finding {
    let is_version = member == MemberKind::Version;
    if token.len() > 300 || token.starts_with("urn:") {
        return Finding::Nothing;
    }
    let last = token.rsplit(['@', ':']).next().unwrap_or_default();
    if !is_version && let Some(what) = range(last, member, context).or_else(|| range(token, member, context))
    {
        return what;
    }
    let token = if token.starts_with("::") { token } else { token.trim_start_matches(':') };
    // The first address of a range represents all of them.
    let token = token.split("..").next().unwrap_or_default();
    let token = if token.contains("::") { token.split('-').next().unwrap_or_default() } else { token };
    let is_hidden = token.starts_with('.');
    let token = token.trim_matches(['.', '-']);
    if let Some((protocol, rest)) = token.split_once(':')
        && TABLE.protocols.contains(&protocol.to_ascii_lowercase().as_str())
    {
        return judge_token(rest, member, context);
    }
    if token.is_empty() || token.len() > 300 {
        return Finding::Nothing;
    }
    let (user, host) = token.rsplit_once('@').map_or((None, token), |(user, host)| (Some(user), host));
    let host = if context.is_first || user.is_some() { host } else { host.trim_start_matches(':') };
    let (name, port) = split_port(host);
    if let Some((ip, form)) = read_address(name) {
        let counts = match form {
            Form::Usual => !is_version || port.is_some() || user.is_some(),
            Form::Odd if name.contains('.') && port.is_some_and(is_port) => !name.starts_with("0."),
            Form::Odd => {
                (name.contains('.') && name.len() > 4 && !is_plain_decimal(name))
                    || !name.contains('.')
                        && !ip.to_string().starts_with("0.")
                        && !matches!(member, MemberKind::Otherwise)
                        && (name.len() >= 10 && name[..2].eq_ignore_ascii_case("0x")
                            || (11..=12).contains(&name.len()))
            }
            Form::Short if !context.is_first && member == MemberKind::Host => name.starts_with("127."),
            Form::Short if user.is_some() && member == MemberKind::Likely => true,
            Form::Short => {
                port.is_some_and(|port| is_port(port) || is_any_port(port) && name.starts_with("127."))
                    || user.is_some_and(|user| TABLE.users.contains(&user))
            }
            Form::Number => name.len() > 7 && port.is_some_and(is_port),
        };
        let is_mask = ip.is_ipv4() && name.starts_with("255.");
        let is_long = name.contains(':') && name.len() > 3 && name.contains(|c: char| c.is_ascii_digit())
            || name == "::1";
        let is_v6_word = context.is_index && name.starts_with('[') || name.contains(':') && !is_long;
        return if counts && is_private(ip) && !is_mask && !is_v6_word {
            ADDRESS.possible()
        } else {
            Finding::Nothing
        };
    }
    // A list of parts with colons may contain an address, such as `example.com:443:10.0.0.1`.
    if host.contains(':') {
        let found = host.split(':').any(|part| {
            read_address(part)
                .is_some_and(|(ip, form)| form == Form::Usual && is_private(ip) && part.contains('.'))
                || is_known_private(part)
        });
        if found {
            return ADDRESS.possible();
        }
        let parts: Vec<&str> = host.splitn(6, ':').collect();
        let pair = parts.windows(2).any(|two| {
            is_port(two[1])
                && name_kind(two[0]) == NameKind::Single
                && two[0].len() > 1
                && two[0].contains(|c: char| c.is_ascii_alphabetic())
                && parts.len() > 2
                || is_port(two[1])
                    && parts.len() > 2
                    && read_address(two[0]).is_some_and(|(ip, form)| form == Form::Short && is_private(ip))
                || is_port(two[0])
                    && read_address(two[1]).is_some_and(|(ip, form)| form != Form::Number && is_private(ip))
        });
        if pair {
            return NAME.possible();
        }
    }
    if is_known_private(name) {
        let is_local = name.to_ascii_lowercase().trim_end_matches('.').starts_with("localhost");
        let dotted = !is_local && !name.starts_with('_');
        let counts = port.is_some_and(is_any_port)
            || user.is_some()
            || context.given && is_local
            || context.whole && !is_hidden
            || dotted
                && name.matches('.').count() > 0
                && matches!(member, MemberKind::Command | MemberKind::Host)
                && !name.starts_with('.')
            || is_local
                && context.behind == Some('/')
                && context.is_first
                && matches!(
                    member,
                    MemberKind::Command | MemberKind::Code | MemberKind::Host | MemberKind::Likely
                );
        return if counts && !is_version { NAME.possible() } else { Finding::Nothing };
    }
    let top = name.rsplit('.').next().unwrap_or_default();
    let is_file = name.contains('.') && TABLE.files.contains(&top);
    let is_date = port.is_some_and(|port| {
        (context.behind == Some('/') || !context.is_first)
            && port.len() == 4
            && (port.starts_with("19") || port.starts_with("20"))
    });
    if let Some(port) = port
        && is_port(port)
        && !is_file
        && !is_date
    {
        let has_letter = name.contains(|c: char| c.is_alphabetic());
        let kind = name_kind(name);
        let is_private = kind == NameKind::Private
            || matches!(kind, NameKind::Single | NameKind::Unknown) && has_letter && name.len() > 1;
        if is_private {
            return NAME.possible();
        }
    }
    if let Some(user) = user {
        let user = user.split(':').next().unwrap_or_default();
        let (name, path) = host.split_once(':').map_or((host, None), |(name, path)| (name, Some(path)));
        let is_digest = name.starts_with("sha");
        let is_connect = !is_digest && !context.is_first && member == MemberKind::Likely;
        if is_connect
            && (name_kind(name) == NameKind::Single
                || read_address(name).is_some_and(|(ip, _)| is_private(ip)))
        {
            return NAME.possible();
        }
        let is_login = !is_digest && TABLE.users.contains(&user)
            || path.is_some_and(|path| !path.is_empty() && !is_digest);
        if is_login && name_kind(name) == NameKind::Single && name.contains(|c: char| c.is_alphabetic()) {
            return NAME.possible();
        }
    }
    Finding::Nothing
}

/// Returns whether a text with a dot is a decimal number with leading zeros, or a version.
fn is_plain_decimal(text: &str) -> bool {
    !text.contains(['x', 'X'])
        && (text.matches('.').count() < 2
            || text.split('.').all(|part| part.len() <= 2)
            || text.starts_with("0."))
}

/// Splits a host from the port behind it. An IPv6 address has no port without brackets.
fn split_port(host: &str) -> (&str, Option<&str>) {
    if let Some(end) = host.strip_prefix('[').and_then(|inner| inner.find(']')) {
        return (&host[..end + 2], host[end + 2..].strip_prefix(':'));
    }
    match host.split_once(':') {
        Some((name, port)) if !port.contains(':') => (name, Some(port)),
        _ => (host, None),
    }
}

/// Judges a word that is the start of an address, followed by a sign for several numbers: `10.0.0.*`, `10.0.0.[1-9]`.
fn range(host: &str, member: MemberKind, context: Context) -> Option<Finding> {
    let start: String = host.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
    let rest = &host[start.len()..];
    let opens = matches!(
        rest.chars().next().or(context.behind),
        Some('*' | '[' | '{' | '<' | '%' | '$' | 'x' | 'X' | '-' | ',' | '?' | '(')
    );
    let parts: Vec<&str> = start.trim_end_matches('.').split('.').collect();
    if !opens || !(1..=4).contains(&parts.len()) || parts.iter().any(|part| part.is_empty() || part.len() > 3)
    {
        return None;
    }
    let is_wide = rest.starts_with('-')
        && rest.contains('.')
        && rest[1..].chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | '-' | '*'))
        && host.matches('.').count() == 3;
    let is_host = matches!(member, MemberKind::Host | MemberKind::Likely | MemberKind::Command);
    let is_dotted = start.ends_with('.') || parts.len() == 4 || is_wide && is_host;
    let certain = parts.len() >= 3 || rest.is_empty() && context.behind == Some('*') || is_wide && is_host;
    let first = format!("{}{}", parts.join("."), ".1".repeat(4 - parts.len()));
    let is_private = read_address(&first)
        .is_some_and(|(ip, form)| form == Form::Usual && is_private(ip) && !first.starts_with("0."));
    (is_dotted && certain && is_private)
        .then_some(Finding::Possible("a range of addresses of a private network"))
}
