//! The servers that a host keeps for single projects in the file of the user, as Claude Code does.

use super::{HostContext, disabled::DISABLED_IN_MCP_JSON};
use mgp_types::json::RawObject;
use std::path::Path;

/// The most projects that a remark names.
const MAX_NAMED: usize = 5;

/// The key of a project's disabled servers, wherever they are listed.
const DISABLED: &str = "disabledMcpServers";

/// The servers of the project that is imported.
#[derive(Debug, Default)]
pub(super) struct ProjectServers {
    pub(super) servers: RawObject,
    /// The names of the disabled servers.
    pub(super) disabled: Vec<String>,
    /// A sentence about other projects that have servers.
    pub(super) remark: Option<String>,
}

/// Returns whether a path leads to a folder. A host may spell the path differently, through symbolic links.
fn is_folder(path: &Path, folder: &Path) -> bool {
    path == folder
        || (path.file_name() == folder.file_name() && path.canonicalize().is_ok_and(|real| real == folder))
}

/// Returns the list of names under a key. Without a readable list, there are none.
pub(super) fn names(object: &RawObject, key: &str) -> Vec<String> {
    object.decode(key).ok().flatten().unwrap_or_default()
}

/// Returns the names of the servers that a file disables for the project in a folder: in its `.mcp.json`, or anywhere.
pub(super) fn disabled(file: &RawObject, folder: &Path) -> Vec<String> {
    let Some(projects) = file.object("projects") else { return Vec::new() };
    let of_folder = projects.iter().filter(|(path, _)| is_folder(Path::new(path), folder));
    let of_folder = of_folder.filter_map(|(_, project)| RawObject::from_json(project).ok());
    of_folder
        .flat_map(|project| [DISABLED_IN_MCP_JSON, DISABLED].map(|key| names(&project, key)).concat())
        .collect()
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
            found.disabled = names(&project, DISABLED);
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
