//! The servers that a host keeps for single projects in the file of the user, as Claude Code does.

use super::HostContext;
use mgp_types::json::RawObject;
use std::path::Path;

/// The most projects that a remark names.
const MAX_NAMED: usize = 5;

/// The servers of the project that is imported.
#[derive(Debug, Default)]
pub(super) struct ProjectServers {
    pub(super) servers: RawObject,
    /// The names of those that are switched off.
    pub(super) disabled: Vec<String>,
    /// A sentence about other projects that have servers.
    pub(super) remark: Option<String>,
}

/// Returns whether a path leads to a folder. A host may have another spelling of it, through symbolic links.
fn is_folder(path: &Path, folder: &Path) -> bool {
    path == folder
        || (path.file_name() == folder.file_name() && path.canonicalize().is_ok_and(|real| real == folder))
}

/// Returns the servers that a file has for the project of a context.
pub(super) fn of(file: &RawObject, context: &HostContext) -> ProjectServers {
    let (mut found, mut others) = (ProjectServers::default(), Vec::new());
    let Some(projects) = file.object("projects") else { return found };
    for (path, project) in projects.iter() {
        // An entry may be `null`, or lack its list.
        let Ok(project) = RawObject::from_json(project) else { continue };
        let Some(servers) = project.object("mcpServers").filter(|servers| !servers.is_empty()) else {
            continue;
        };
        if context.folder.as_deref().is_some_and(|folder| is_folder(Path::new(path), folder)) {
            found.servers = servers;
            found.disabled = project.decode("disabledMcpServers").ok().flatten().unwrap_or_default();
        } else {
            others.push(path.to_owned());
        }
    }
    found.remark = (!others.is_empty()).then(|| {
        let more = match others.len().saturating_sub(MAX_NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let named = others.iter().take(MAX_NAMED).cloned().collect::<Vec<_>>().join(", ");
        format!("servers of other projects were left out: run `mgp init --project` in {named}{more}")
    });
    found
}
