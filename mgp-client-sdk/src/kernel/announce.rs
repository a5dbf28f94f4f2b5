//! §3.5, §3.6 Tells a server which of its permissions wait for an operator, and what was decided.
//!
//! The server is only told. Whether its tools may be called is decided by the permission layer, whatever the server says or does.

use super::{
    rights::Rights,
    server::{Link, Server},
    tools::ToolTable,
};
use mgp_security::permission::Permissions;
use mgp_transport::seam::ControlPeer;
use mgp_types::{
    json::Nullable,
    negotiation::Extension,
    permission::{
        GrantValue, Permission, PermissionDecision, PermissionPolicy, PermissionRequestParams,
        PermissionState, RequestPermission, RespondPermission,
    },
};
use std::{collections::BTreeSet, sync::Arc};

/// Opens a question for every undecided permission that a server or one of its tools needs, and tells the server of them if it negotiated
/// `security`. Returns at once: a background task tells the server each decision, revocation and expiry. A later announcement
/// replaces this one.
pub(super) fn permissions(rights: &Arc<Rights>, tools: &ToolTable, server: &Arc<Server>, link: &Arc<Link>) {
    let needed: BTreeSet<Permission> = tools
        .entries()
        .filter(|entry| Arc::ptr_eq(&entry.server, server))
        .flat_map(|entry| entry.profile.permissions.iter().cloned())
        .chain(declared(link))
        .collect();
    if needed.is_empty() {
        server.announces_nothing();
        return;
    }
    let telling = tokio::spawn(tell(rights.permissions.clone(), server.clone(), link.clone(), needed));
    server.announces(telling.abort_handle());
}

/// Returns the permissions that the server itself declared, which its tools may be able to do without. A name that is no permission is
/// nothing to ask about.
fn declared(link: &Link) -> impl Iterator<Item = Permission> {
    let negotiated = link.negotiated.iter();
    let names = negotiated.flat_map(|negotiated| negotiated.permissions_required.iter());
    names.filter_map(|name| Permission::expand(name).ok()).flatten()
}

async fn tell(permissions: Permissions, server: Arc<Server>, link: Arc<Link>, needed: BTreeSet<Permission>) {
    let takes_news = link.negotiated.as_ref().is_some_and(|negotiated| negotiated.has(Extension::Security));
    let control = link.control();
    let mut changes = permissions.decisions();
    let (mut requested, mut request_id) = (BTreeSet::new(), None::<String>);
    loop {
        let undecided: BTreeSet<_> =
            needed.iter().filter(|&permission| is_undecided(&permissions, &server, permission)).collect();
        let question_id = open_questions(&permissions, &server, &undecided).await;
        if takes_news {
            // One id until all is decided.
            let id = request_id.take().or(question_id);
            let id = id.unwrap_or_else(|| format!("perm-{}", uuid::Uuid::now_v7()));
            let names: BTreeSet<_> =
                undecided.iter().map(|permission| permission.as_str().to_owned()).collect();
            // What the server was told before may be true no longer.
            if link.was_told() {
                tell_decision(&permissions, &server, &link, &needed, &id).await;
            }
            if !names.is_empty() && names != requested {
                request(&server, &control, &id, &names).await;
            }
            requested = names;
            if undecided.iter().any(|permission| permissions.asks(server.id(), permission)) {
                request_id = Some(id);
            } else {
                tell_decision(&permissions, &server, &link, &needed, &id).await;
            }
        }
        tokio::select! {
            changed = changes.changed() => if changed.is_err() {
                return;
            },
            () = control.closed() => return,
        }
    }
}

/// Opens the questions about undecided permissions, where an operator's answer would count, and returns the id of the first.
async fn open_questions(
    permissions: &Permissions,
    server: &Server,
    undecided: &BTreeSet<&Permission>,
) -> Option<String> {
    let mut request_id = None;
    for permission in undecided.iter().filter(|permission| permissions.waits(server.id(), permission)) {
        match permissions.open_question(server.id(), permission).await {
            Ok(row) => request_id = request_id.or(Some(row.request_id)),
            Err(error) => {
                tracing::error!(server = server.id(), %permission, %error, "a question could not be kept");
            }
        }
    }
    request_id
}

/// Asks the server to wait for decisions. One that does not take the news is held by the gate all the same.
async fn request(server: &Server, control: &ControlPeer, request_id: &str, names: &BTreeSet<String>) {
    let params = PermissionRequestParams {
        request_id: request_id.to_owned(),
        permissions: names.iter().cloned().collect(),
        policy: PermissionPolicy::Interactive,
        message: Some("waiting for an operator".to_owned()),
    };
    if let Err(error) = control.request::<RequestPermission>(&params).await {
        tracing::debug!(server = server.id(), %error, "the server did not take the request for permissions");
    }
}

/// Tells the server how its permissions stand, unless it knows.
async fn tell_decision(
    permissions: &Permissions,
    server: &Server,
    link: &Link,
    needed: &BTreeSet<Permission>,
    request_id: &str,
) {
    let approved = needed
        .iter()
        .filter(|&permission| permissions.state(server.id(), permission) == PermissionState::Approved);
    let rows: Vec<_> = approved.filter_map(|permission| permissions.row(server.id(), permission)).collect();
    let deciders: BTreeSet<_> = rows.iter().filter_map(|row| row.decided_by.as_deref()).collect();
    let grants = needed.iter().map(|permission| {
        (permission.as_str().to_owned(), grant(permissions.state(server.id(), permission)))
    });
    let decision = PermissionDecision {
        request_id: request_id.to_owned(),
        grants: grants.collect(),
        approved_by: match deciders.len() {
            0 => Nullable::Absent,
            _ => Nullable::Value(deciders.into_iter().collect::<Vec<_>>().join(", ")),
        },
        expires_at: match rows.iter().filter_map(|row| row.expires_at).min() {
            None => Nullable::Absent,
            Some(end) => Nullable::Value(end.to_string()),
        },
        scope: None,
    };
    if !link.tells(&decision) {
        return;
    }
    if let Err(error) = link.control().request::<RespondPermission>(&decision).await {
        tracing::debug!(server = server.id(), %error, "the server did not take the decision");
    }
}

fn is_undecided(permissions: &Permissions, server: &Server, permission: &Permission) -> bool {
    let state = permissions.state(server.id(), permission);
    matches!(state, PermissionState::Deferred | PermissionState::Expired)
        && !permissions.has_all(server.id(), std::slice::from_ref(permission))
}

fn grant(state: PermissionState) -> GrantValue {
    match state {
        PermissionState::Approved => GrantValue::Approved,
        PermissionState::Denied => GrantValue::Denied,
        PermissionState::Deferred | PermissionState::Expired => GrantValue::Deferred,
    }
}
