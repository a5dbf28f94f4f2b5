//! Puts the path of this program into the gateway's entry in a host's file.

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

/// Replaces the program in the entry with a name. Everything else in the entry and in the file stays, and `mgp disconnect` still puts back the
/// servers that stood there. Returns the path of the backup.
pub(in crate::command) fn repair(
    environment: &Environment,
    found: &Candidate,
    name: &str,
    program: &str,
) -> Result<PathBuf, CliError> {
    let backups = Backups::of(environment)?;
    let (host, format) = (found.host, found.host.format());
    for _ in 0..MAX_TRIES {
        let file = HostFile::read(&found.path)?;
        let broken = |error: &dyn std::fmt::Display| refused(&file.path, &error.to_string());
        let path = vec![host.list().to_owned()];
        let list = list_at(format, file.bytes(), &path).map_err(|error| broken(&error))?;
        let entry = list.into_iter().find(|(known, _)| known == name);
        let entry = entry.and_then(|(_, entry)| with_program(entry, program));
        let entry = entry.ok_or_else(|| broken(&format!("{}.{name} has no program", host.list())))?;
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

/// Returns an entry with another program, under the key and in the form that it has.
fn with_program(entry: Value, program: &str) -> Option<Entry> {
    let Value::Object(mut entry) = entry else { return None };
    let key = ["command", "cmd"].into_iter().find(|key| entry.contains_key(*key))?;
    match entry.get_mut(key)? {
        Value::String(command) => program.clone_into(command),
        Value::Array(line) => *line.first_mut()? = Value::from(program),
        _ => return None,
    }
    Some(entry.into_iter().map(|(key, value)| (Cow::Owned(key), value)).collect())
}
