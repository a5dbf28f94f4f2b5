//! Judges a text that is a host, or the authority of a URL.

use super::{
    address::{Form, is_private, read_address},
    names::{NameKind, name_kind},
};

/// The longest authority that is judged, in bytes up to the next slash.
pub(super) const MAX_AUTHORITY: usize = 8 * 1024;

/// The judgement on a part of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Finding {
    /// No finding.
    Nothing,
    /// Something that may reach a private network, which is asked about.
    Possible(&'static str),
    /// Something that reaches a private network, which is refused.
    Certain(&'static str),
}

impl Finding {
    /// Returns the finding without certainty, for a place where a host is not certain.
    pub(super) fn possible(self) -> Self {
        match self {
            Self::Certain(what) => Self::Possible(what),
            other => other,
        }
    }

    /// Returns whether there is a finding.
    pub(super) fn is_found(self) -> bool {
        self != Self::Nothing
    }
}

/// The finding about a private address.
pub(super) const ADDRESS: Finding =
    Finding::Certain("an address of this machine, a private network or a metadata service");

/// The finding about a private name.
pub(super) const NAME: Finding = Finding::Certain("a name of this machine or a private network");

/// The finding about a name without a dot, where a host may stand.
pub(super) const SINGLE: Finding = Finding::Possible("a name that is looked up in the local network");

/// The finding about a host that is unknown before the call.
pub(super) const COMPUTED: Finding = Finding::Possible("a host that is unknown before the call");

/// The finding about a host that cannot be read.
pub(super) const UNREADABLE: Finding = Finding::Possible("a host that cannot be read");

/// The finding about an authority that is too long. Names of hosts have at most 253 bytes.
pub(super) const TOO_LONG: Finding = Finding::Certain("a host that is too long to be judged");

/// The certainty that a place contains a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Certainty {
    /// Any text. Only addresses in their usual form, and names that are not everyday words, count.
    Anywhere,
    /// A place that may also contain something else: names without a dot do not count.
    Likely,
    /// A place only for hosts, where the name may nevertheless be that of something else.
    Host,
    /// The authority of a URL, or a name with a port.
    Url,
}

/// Judges one host without user, port and path.
pub(super) fn judge_host(host: &str, place: Certainty) -> Finding {
    let host = host.trim_matches(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`'));
    let host = host.strip_prefix("*.").unwrap_or(host);
    if let Some((ip, form)) = read_address(host) {
        let counts = match form {
            Form::Usual | Form::Odd => true,
            Form::Short => {
                place >= Certainty::Likely && (place >= Certainty::Host || !host.starts_with("0."))
            }
            Form::Number => place >= Certainty::Host,
        };
        let is_zero = ip.is_ipv4() && ip.to_string().starts_with("0.");
        let is_small = place < Certainty::Url && !host.contains(['.', ':']) && is_zero && host != "0";
        return if counts && !is_small && is_private(ip) { ADDRESS } else { Finding::Nothing };
    }
    let is_number = host.contains('.') && host.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    if is_number && place >= Certainty::Host {
        return UNREADABLE;
    }
    match (name_kind(host), place) {
        (NameKind::Private, Certainty::Host | Certainty::Url) => NAME,
        (NameKind::Private, _) if !super::names::is_plain_word(host) => NAME,
        (NameKind::Unknown | NameKind::Single, Certainty::Url) => NAME,
        (NameKind::Single, Certainty::Host) if host.len() > 1 && !is_mixed_case(host) => SINGLE,
        (NameKind::Unknown, Certainty::Host) => Finding::Possible("a name below an unknown top-level domain"),
        (NameKind::Doubtful, Certainty::Likely | Certainty::Host | Certainty::Url) => {
            Finding::Possible("a name that may be one of a private network")
        }
        _ => Finding::Nothing,
    }
}

/// Judges an authority: every host that a parser could find in it, with or without user and port.
pub(super) fn judge_authority(text: &str, place: Certainty) -> Finding {
    let text = text.trim_start_matches(['/', '\\']);
    let end = text.find(['/', '?']).unwrap_or(text.len());
    if end > MAX_AUTHORITY {
        return TOO_LONG;
    }
    // Parsers disagree on the end of a user, so each part is judged.
    let is_end = |c: char| {
        c.is_whitespace()
            || matches!(
                c,
                '@' | '\\'
                    | '#'
                    | '?'
                    | ';'
                    | ','
                    | ')'
                    | '('
                    | '|'
                    | '}'
                    | '{'
                    | '<'
                    | '>'
                    | '"'
                    | '\''
                    | '`'
                    | '&'
                    | '!'
            )
    };
    let mut found = Finding::Nothing;
    // After a question mark, only the text after a user can be a host.
    let users = text[end..].char_indices().take(MAX_AUTHORITY);
    let far = users.take_while(|(_, c)| *c != '/' || text.as_bytes().get(end) == Some(&b'?'));
    let query = far.filter(|(_, c)| *c == '@').map(|(at, _)| &text[end + at + 1..]).next();
    let mut from = 0;
    for part in text[..end].split(is_end) {
        from += part.len();
        let is_user = text[from..end].starts_with('@');
        from += text[from..end].chars().next().map_or(0, char::len_utf8);
        if part.is_empty() {
            continue;
        }
        let part = if part.starts_with('[') { part } else { part.trim_end_matches(']') };
        let host = without_port(part);
        // A user is not a host, unless it is an address.
        let place = if is_user { place.min(Certainty::Anywhere) } else { place };
        found = found.max(judge_host(host, place));
        if host.len() < part.len() && part.matches(':').count() > 1 {
            found = found.max(judge_host(part, place));
        }
    }
    if let Some(query) = query {
        let host = query.split(is_end).next().unwrap_or_default();
        let host = host.split('/').next().unwrap_or_default();
        found = found.max(judge_host(without_port(host), place.min(Certainty::Likely)));
    }
    found
}

/// Returns whether a word is written like names in code, such as `mapController`.
pub(super) fn is_mixed_case(word: &str) -> bool {
    let letters: Vec<char> = word.chars().collect();
    letters.windows(2).any(|two| two[0].is_lowercase() && two[1].is_uppercase())
}

/// Returns a host without its port.
pub(super) fn without_port(text: &str) -> &str {
    if let Some(end) = text.strip_prefix('[').and_then(|inner| inner.find(']')) {
        return &text[..end + 2];
    }
    match text.split_once(':') {
        Some((host, port)) if !port.contains(':') => host,
        _ => text,
    }
}
