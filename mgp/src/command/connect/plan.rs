//! The change of one host's file.

use super::file::{HostFile, refused};
use crate::{
    command::init::sources::{Source, is_this_program},
    error::CliError,
};
use mgp_discovery::{
    locate::Environment,
    mcp_servers::{Candidate, Entry, Host, ImportError, ImportResult, ListEdit, connect, import, list_at},
};
use std::path::Path;

/// The name of the gateway's entry in hosts' files.
pub(super) const NAME: &str = "mgp";

/// The change of a file that connects its host.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) file: HostFile,
    pub(super) edits: Vec<ListEdit>,
    pub(super) after: Vec<u8>,
    /// The servers that move behind the gateway.
    pub(super) imported: ImportResult,
    /// The servers that stay in the file, each with the reason.
    pub(super) kept: Vec<(String, String)>,
    pub(super) entry: Entry,
}

/// The state of a host's file.
#[derive(Debug)]
pub(super) enum FileState {
    /// The file has an entry for the gateway, under this name. `beside` are the other servers in the file.
    Connected {
        name: String,
        beside: Vec<String>,
    },
    Change(Box<Plan>),
}

/// Returns the change of a candidate's file. `program` and `args` start the gateway.
///
/// # Errors
/// An error that names the file, if it is broken, or not understood, or has an entry of another program with the gateway's name.
pub(super) fn plan(
    found: &Candidate,
    environment: &Environment,
    program: &str,
    args: &[String],
) -> Result<FileState, CliError> {
    let file = HostFile::read(&found.path)?;
    let (host, format) = (found.host, found.host.format());
    let broken = |error: &dyn std::fmt::Display| {
        refused(&file.path, &error.to_string())
            .help(format!("nothing was changed: mend the file, and run `mgp connect {}` again", host.id()))
    };
    let path = vec![host.list().to_owned()];
    let list = list_at(format, file.bytes(), &path).map_err(|error| broken(&error))?;
    let context = Source::of(found.clone(), environment).context;
    let mut imported = match import(file.bytes(), &context) {
        Ok(imported) => imported,
        Err(ImportError::NoServers) => ImportResult::default(),
        Err(error) => return Err(broken(&error)),
    };
    let own = imported.servers.iter().zip(&imported.names).find(|(server, _)| is_this_program(server));
    if let Some((_, own)) = own {
        let beside = list.into_iter().map(|(name, _)| name).filter(|name| *name != own.name);
        let beside = beside.filter(|name| imported.names.iter().any(|known| known.name == *name)).collect();
        return Ok(FileState::Connected { name: own.name.clone(), beside });
    }
    if list.iter().any(|(name, _)| name == NAME) {
        let error = refused(&file.path, &format!("{}.{NAME} is an entry of another program", host.list()));
        return Err(
            error.help(format!("rename or remove that entry, and run `mgp connect {}` again", host.id()))
        );
    }
    let mut edits = Vec::new();
    let local = own_project(&file, host, environment)
        .map(|key| vec!["projects".to_owned(), key, host.list().to_owned()]);
    for (path, of_project) in local.map(|path| (path, true)).into_iter().chain([(path, false)]) {
        let list = list_at(format, file.bytes(), &path).map_err(|error| broken(&error))?;
        let of_list = imported.names.iter().filter(|known| known.of_project == of_project);
        let of_list = of_list.map(|known| known.name.clone());
        let removed: Vec<_> = of_list.filter(|name| list.iter().any(|(known, _)| known == name)).collect();
        let added = (!of_project).then(|| NAME.to_owned());
        if added.is_some() || !removed.is_empty() {
            edits.push(ListEdit { path, removed, added });
        }
    }
    only_removed(&mut imported, &edits);
    let kept = imported.skipped.drain(..).map(|skipped| (skipped.name, skipped.reason)).collect();
    let entry = host.entry(NAME, program, args);
    let after = connect(format, file.bytes(), &edits, &entry).map_err(|error| broken(&error))?;
    Ok(FileState::Change(Box::new(Plan { edits, after, imported, kept, entry, file })))
}

/// Returns the key under which a host keeps servers for the project in the working folder, if it has any.
fn own_project(file: &HostFile, host: Host, environment: &Environment) -> Option<String> {
    if host != Host::ClaudeCode {
        return None;
    }
    let projects = list_at(host.format(), file.bytes(), &["projects".to_owned()]).ok()?;
    let is_here = |key: &str| {
        let path = Path::new(key);
        path == environment.cwd || path.canonicalize().is_ok_and(|real| real == environment.cwd)
    };
    let has_servers =
        |project: &serde_json::Value| project.get(host.list()).is_some_and(serde_json::Value::is_object);
    projects.into_iter().find(|(key, project)| is_here(key) && has_servers(project)).map(|(key, _)| key)
}

/// Keeps only the servers that are removed from the file: others were found under a member that the host does not read.
fn only_removed(imported: &mut ImportResult, edits: &[ListEdit]) {
    let names = std::mem::take(&mut imported.names);
    let mut is_removed = names.iter().map(|known| {
        let of_list = edits.iter().filter(|edit| edit.added.is_none() == known.of_project);
        of_list.flat_map(|edit| &edit.removed).any(|name| *name == known.name)
    });
    imported.servers.retain(|_| is_removed.next().unwrap_or_default());
}

impl Plan {
    /// Returns the lines that show the difference. They hold no values of the removed servers, which may be secrets.
    pub(super) fn difference(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for edit in &self.edits {
            let path = edit.path.join(".");
            lines.extend(edit.removed.iter().map(|name| format!("- {path}.{name}")));
            if let Some(name) = &edit.added {
                let members: Vec<_> =
                    self.entry.iter().map(|(key, value)| format!("{key:?}: {value}")).collect();
                lines.push(format!("+ {path}.{name} = {{{}}}", members.join(", ")));
            }
        }
        let kept = self.kept.iter().map(|(name, reason)| format!("  {name:?} stays: {reason}"));
        lines.extend(kept);
        lines
    }

    /// Returns the names of the removed servers.
    pub(super) fn removed(&self) -> Vec<String> {
        self.edits.iter().flat_map(|edit| edit.removed.iter().cloned()).collect()
    }
}
