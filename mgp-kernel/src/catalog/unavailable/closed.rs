//! Tools that access control lets a principal use, but that no answer to an open question would open: by server, with the reason.

use crate::{
    catalog::tools::{ToolEntry, ToolTable},
    command_word,
    rights::rights::Rights,
    upstream::servers::Servers,
};
use mgp_security::{
    definition::{DefinitionStanding, HoldReason},
    permission::Permissions,
};
use mgp_transport::seam::Visibility;
use mgp_types::{
    context::Principal,
    lifecycle::{ClosedToolsReport, ServerState},
    permission::{Permission, PermissionState},
};
use serde::Serialize;
use std::{collections::HashMap, fmt, sync::Arc};

/// The maximum number of permissions in one sentence.
const MAX_NAMED: usize = 3;

/// Tools of one server that are closed for the same reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ClosedTools {
    /// The id of the server.
    pub server_id: String,
    /// The number of tools.
    pub tools: usize,
    /// The reason why the tools are closed, and a way to open them, in a sentence.
    pub reason: String,
}

impl From<ClosedTools> for ClosedToolsReport {
    fn from(closed: ClosedTools) -> Self {
        Self { server_id: closed.server_id, tools: closed.tools as u64, reason: closed.reason }
    }
}

impl fmt::Display for ClosedTools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

/// The reason why a tool is closed.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Closure {
    /// The tool needs permissions that are denied.
    Denied(Vec<Permission>),
    /// The tool needs permissions that only the configuration approves.
    ConfigOnly(Vec<Permission>),
    /// The tool names permissions that do not exist.
    NoPermission(Vec<String>),
    /// The tool is withheld because of its definition.
    Held(HoldReason),
}

/// Returns the closed tools, in configuration order: those that access control lets a principal call, or all of them without a
/// principal. An agent must not even learn that somebody could open a tool which the agent may not call.
pub(crate) fn closed_tools(
    rights: &Rights,
    tools: &ToolTable,
    principal: Option<&Principal>,
) -> Vec<ClosedTools> {
    let access = principal.map(|principal| rights.access.view(principal));
    let mut places: HashMap<(Arc<str>, Closure), usize> = HashMap::new();
    let mut groups: Vec<(Arc<str>, Closure, usize)> = Vec::new();
    for named in tools.names.iter() {
        let id = named.tool.id();
        let Some(closure) = tools.entry(id).and_then(|entry| closure(rights, entry)) else {
            continue;
        };
        if access.as_ref().is_some_and(|access| !access.sees(id)) {
            continue;
        }
        let place = *places.entry((id.server_id.clone(), closure.clone())).or_insert_with(|| {
            groups.push((id.server_id.clone(), closure, 0));
            groups.len() - 1
        });
        groups[place].2 += 1;
    }
    let group = |(server_id, closure, tools): (Arc<str>, Closure, usize)| ClosedTools {
        reason: sentence(&rights.permissions, &server_id, &closure, tools),
        server_id: server_id.to_string(),
        tools,
    };
    groups.into_iter().map(group).collect()
}

/// Returns a sentence on each server without visible tools that a principal may use: the server is not connected or has none.
///
/// A server's error is only for its operator, who sees it with `mgp servers`.
pub(in crate::catalog) fn closed_servers(
    rights: &Rights,
    tools: &ToolTable,
    servers: &Servers,
    principal: &Principal,
) -> Vec<ClosedTools> {
    let servers = servers.load();
    let servers = servers.iter().filter(|server| rights.access.allows_some(principal, server.id()));
    let closed = servers.filter_map(|server| {
        let (id, state) = (server.id(), server.status().state);
        let has_tools = || tools.entries().any(|entry| *entry.id.server_id == *id);
        let reason = match state {
            ServerState::Connected if has_tools() => return None,
            _ if (server.is_on_demand() || server.connection.is_recalled()) && has_tools() => return None,
            _ if server.is_on_demand() => format!("`{id}` has no tools"),
            ServerState::Connected => format!("`{id}` is connected, and has no tools"),
            ServerState::Registered | ServerState::Connecting => {
                format!("`{id}` is still starting: try again")
            }
            state => format!("`{id}` is not connected ({state}): the operator sees why with `mgp servers`"),
        };
        Some(ClosedTools { server_id: id.into(), tools: 0, reason })
    });
    closed.collect()
}

/// Returns the reason why a tool is closed; `None` if it is open, if an answer to a question would open it, or if it is disabled, which is not
/// revealed.
fn closure(rights: &Rights, entry: &ToolEntry) -> Option<Closure> {
    let (server_id, profile, permissions) = (&*entry.id.server_id, &entry.profile, &rights.permissions);
    if entry.is_disabled() {
        return None;
    }
    if let DefinitionStanding::Held(reason) = rights.definitions.standing(&entry.id, profile.definition) {
        return Some(Closure::Held(reason));
    }
    if !profile.invalid_permissions.is_empty() {
        return Some(Closure::NoPermission(profile.invalid_permissions.clone()));
    }
    let closes = |permission: &&Permission| {
        !permissions.has_all(server_id, [*permission]) && !permissions.waits(server_id, permission)
    };
    let closing: Vec<Permission> = profile.permissions.iter().filter(closes).cloned().collect();
    match closing.is_empty() {
        true => None,
        false if permissions.config_only(server_id).is_some() => Some(Closure::ConfigOnly(closing)),
        false => Some(Closure::Denied(closing)),
    }
}

fn sentence(rights: &Permissions, server_id: &str, closure: &Closure, tools: usize) -> String {
    let (tool, need) = if tools == 1 { ("tool", "needs") } else { ("tools", "need") };
    let are = |count: usize| if count == 1 { "is" } else { "are" };
    let what = format!("{tools} {tool} of `{server_id}` {need}");
    match closure {
        Closure::Held(reason) => {
            let (server, is) = (command_word(server_id), are(tools));
            let what = format!("{tools} {tool} of `{server_id}` {is} withheld");
            match reason {
                HoldReason::Changed => format!(
                    "{what}, because the definition changed since it was accepted: see `mgp tools diff {server}`"
                ),
                HoldReason::Unreadable => {
                    format!(
                        "{what}, because the pinned definition cannot be read: `mgp tools forget {server} TOOL`"
                    )
                }
                HoldReason::NotPinned => format!("{what}, because the definition could not be pinned"),
            }
        }
        Closure::Denied(permissions) => {
            let state = PermissionState::Denied;
            let (names, are) = (listed(permissions, Permission::as_str), are(permissions.len()));
            let server = command_word(server_id);
            let commands = permissions.iter().take(MAX_NAMED);
            let commands = commands.map(|permission| format!("`mgp approve {server} {permission}`"));
            let commands = commands.collect::<Vec<_>>().join(", ");
            format!("{what} {names}, which {are} {state}: {commands}")
        }
        Closure::ConfigOnly(permissions) => {
            let names = listed(permissions, Permission::as_str);
            let policy = rights.config_only(server_id).unwrap_or_default();
            format!("{what} {names}, and {policy}")
        }
        Closure::NoPermission(permissions) => {
            let names = listed(permissions, String::as_str);
            let they = if tools == 1 { "it is" } else { "they are" };
            format!("{what} {names}, which {} no permission: {they} never called", are(permissions.len()))
        }
    }
}

/// Lists the first names, and the number of the others.
pub(crate) fn listed<T>(items: &[T], name: impl Fn(&T) -> &str) -> String {
    let mut names: Vec<String> = items.iter().take(MAX_NAMED).map(|item| name(item).to_owned()).collect();
    if items.len() > MAX_NAMED {
        names.push(format!("{} more", items.len() - MAX_NAMED));
    }
    names.join(", ")
}
