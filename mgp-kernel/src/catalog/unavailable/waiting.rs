//! §3 The tools that wait for an undecided permission, by server and by missing permissions.

use crate::{
    catalog::tools::{ToolEntry, ToolTable},
    rights::rights::Rights,
};
use mgp_security::permission::Permissions;
use mgp_transport::seam::Visibility;
use mgp_types::{
    context::{Principal, ToolId},
    permission::Permission,
    tool_index::{PendingPermission, WaitingTools},
};
use std::{collections::HashMap, sync::Arc};

/// The tools of one server that lack the same permissions.
#[derive(Debug)]
pub(crate) struct WaitingGroup {
    pub(crate) server_id: Arc<str>,
    pub(crate) tools: Vec<ToolId>,
    lacking: Vec<Permission>,
}

/// Returns the permissions that a tool lacks, if an operator's approval of all of them would open the tool. No approval opens a disabled tool.
pub(in crate::catalog) fn lacking(permissions: &Permissions, entry: &ToolEntry) -> Option<Vec<Permission>> {
    if entry.is_disabled() || !entry.profile.invalid_permissions.is_empty() {
        return None;
    }
    let mut lacking = Vec::new();
    for permission in &entry.profile.permissions {
        if permissions.has_all(&entry.id.server_id, std::slice::from_ref(permission)) {
            continue;
        }
        if !permissions.waits(&entry.id.server_id, permission) {
            return None;
        }
        lacking.push(permission.clone());
    }
    (!lacking.is_empty()).then_some(lacking)
}

/// Returns the tools that wait, in configuration order: those that access control lets a principal call, or all of them without a
/// principal. An agent must not even learn that somebody could approve a tool which the agent may not call.
pub(crate) fn waiting_groups(
    rights: &Rights,
    tools: &ToolTable,
    principal: Option<&Principal>,
) -> Vec<WaitingGroup> {
    let access = principal.map(|principal| rights.access.view(principal));
    // Most servers wait for nothing, which is known without checking each of their tools.
    let mut may_wait: HashMap<Arc<str>, bool> = HashMap::new();
    let mut places: HashMap<(Arc<str>, Vec<Permission>), usize> = HashMap::new();
    let mut groups: Vec<WaitingGroup> = Vec::new();
    for named in tools.names.iter() {
        let id = named.tool.id();
        let may_wait = *may_wait.entry(id.server_id.clone()).or_insert_with(|| {
            let needs = tools.needs(&id.server_id).and_then(|needs| needs.permissions());
            needs.is_none_or(|needs| needs.iter().any(|one| rights.permissions.waits(&id.server_id, one)))
        });
        if !may_wait || access.as_ref().is_some_and(|access| !access.sees(id)) {
            continue;
        }
        let Some(lacking) = tools.entry(id).and_then(|entry| lacking(&rights.permissions, entry)) else {
            continue;
        };
        let place = *places.entry((id.server_id.clone(), lacking.clone())).or_insert_with(|| {
            groups.push(WaitingGroup { server_id: id.server_id.clone(), tools: Vec::new(), lacking });
            groups.len() - 1
        });
        groups[place].tools.push(id.clone());
    }
    groups
}

/// Opens a question for each permission that a group lacks, for the operator, and returns the group with the ids.
pub(crate) async fn open(rights: &Permissions, group: WaitingGroup) -> WaitingTools {
    let WaitingGroup { server_id, tools, lacking } = group;
    let mut permissions = Vec::new();
    for permission in lacking {
        match rights.open_question(&server_id, &permission).await {
            Ok(row) => permissions.push(PendingPermission {
                permission: permission.as_str().to_owned(),
                request_id: row.request_id,
                state: rights.state(&server_id, &permission),
            }),
            // The search is still answered.
            Err(error) => {
                tracing::error!(server = &*server_id, %permission, %error, "a question could not be kept");
            }
        }
    }
    WaitingTools { server_id: server_id.to_string(), tools: tools.len() as u64, permissions }
}
