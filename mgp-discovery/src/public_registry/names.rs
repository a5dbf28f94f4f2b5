//! Converts untrusted names for use in a command line or a configuration file.

use crate::config::server_id;
use mgp_types::printable::on_one_line;

/// The longest name of a variable, in bytes.
const MAX_NAME: usize = 256;

/// Returns an id for a server of this name: the last part of the name, without invalid characters.
pub(super) fn id_for(name: &str) -> String {
    let last = name.rsplit('/').next().unwrap_or_default();
    let legal = |c: char| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' };
    let id: String = last.chars().map(legal).take(48).collect();
    let id = id.trim_matches(['-', '.']).to_owned();
    if server_id(&id).is_ok() { id } else { "server".to_owned() }
}

/// Returns a name for a variable of the environment.
pub(crate) fn variable(name: &str) -> String {
    let legal = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' };
    let name: String = name.chars().map(legal).take(MAX_NAME).collect();
    match name.chars().next() {
        None => "VALUE".to_owned(),
        Some(first) if first.is_ascii_digit() => format!("_{name}"),
        Some(_) => name,
    }
}

/// Returns a text of an entry for use within a line: printable and shortened. Only the beginning of a long text is read.
pub(super) fn one_line(text: &str, limit: usize) -> String {
    let mut unread = text.chars();
    let read: String = unread.by_ref().take(4 * limit).collect();
    let words = on_one_line(&read);
    match words.char_indices().nth(limit) {
        Some((at, _)) => format!("{}…", &words[..at]),
        None if unread.next().is_some() => format!("{words}…"),
        None => words,
    }
}
