//! Replaces a path in the gateway's entry in a host's file.

use super::{
    backup::Backups,
    file::{HostFile, refused},
    run::MAX_TRIES,
};
use crate::error::CliError;
use mgp_discovery::{
    locate::Environment,
    mcp_servers::{Candidate, Entry, Format, ListEdit, connect, list_at},
};
use serde_json::Value;
use std::{borrow::Cow, path::PathBuf};

/// Replaces a path in the command line of the entry with a name. Everything else in the entry and in the file stays, and `mgp disconnect` still
/// puts back the servers that stood there. Returns the path of the backup.
pub(in crate::command) fn repair(
    environment: &Environment,
    found: &Candidate,
    name: &str,
    (old, new): (&str, &str),
) -> Result<PathBuf, CliError> {
    let backups = Backups::of(environment)?;
    let (host, format) = (found.host, found.host.format());
    for _ in 0..MAX_TRIES {
        let file = HostFile::read(&found.path)?;
        let broken = |error: &dyn std::fmt::Display| refused(&file.path, &error.to_string());
        let path = vec![host.list().to_owned()];
        let list = list_at(format, file.bytes(), &path).map_err(|error| broken(&error))?;
        let entry = list.into_iter().find(|(known, _)| known == name);
        let entry = entry.and_then(|(_, entry)| with_path(entry, old, new));
        let entry = entry.ok_or_else(|| broken(&format!("{}.{name} does not have {old}", host.list())))?;
        // In TOML, the new table gets the place of the one that goes.
        let removed = if format == Format::Toml { vec![name.to_owned()] } else { Vec::new() };
        let edit = ListEdit { path, removed, added: Some(name.to_owned()) };
        let after = connect(format, file.bytes(), &[edit], &entry).map_err(|error| broken(&error))?;
        let backup = backups.keep_copy(host, &file)?;
        if file.replace(Some(&after))? {
            backups.follow(host, &file, &after)?;
            return Ok(backup);
        }
    }
    Err(refused(&found.path, "it changes all the time").help(format!("end {}, and try again", host.name())))
}

/// Returns an entry with another path in its command line; `None` if it does not have the old one.
fn with_path(entry: Value, old: &str, new: &str) -> Option<Entry> {
    let Value::Object(mut entry) = entry else { return None };
    let mut is_replaced = false;
    let mut replace = |word: &mut Value| {
        let option = word.as_str().and_then(|word| word.strip_suffix(old)).map(str::to_owned);
        if let Some(option) = option.filter(|option| option.is_empty() || option.ends_with('=')) {
            *word = Value::from(option + new);
            is_replaced = true;
        }
    };
    for key in ["command", "cmd", "args"] {
        match entry.get_mut(key) {
            Some(Value::Array(words)) => words.iter_mut().for_each(&mut replace),
            Some(word) => replace(word),
            None => {}
        }
    }
    is_replaced.then(|| entry.into_iter().map(|(key, value)| (Cow::Owned(key), value)).collect())
}
