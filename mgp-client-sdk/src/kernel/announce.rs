//! §3.5, §3.6 Tells a server which of its permissions wait for an operator, and what was decided.
//!
//! The server is only told. Whether its tools may be called is decided by the permission layer, whatever the server says or does.

use super::{
    rights::Rights,
    server::{Link, Server},
    tools::ToolTable,
};
use mgp_security::permission::Permissions;
use mgp_types::{
    json::Nullable,
    negotiation::Extension,
    permission::{
        GrantValue, Permission, PermissionDecision, PermissionPolicy, PermissionRequestParams,
        PermissionState, RequestPermission, RespondPermission,
    },
};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

/// Opens a question for every undecided permission that a server's tools need, and tells the server of them if it negotiated
/// `security`. Returns at once: a background task tells the server the decisions once all of them are made. A later announcement
/// replaces this one.
pub(super) fn permissions(rights: &Arc<Rights>, tools: &ToolTable, server: &Arc<Server>, link: &Arc<Link>) {
    let needed: BTreeSet<Permission> = tools
        .entries()
        .filter(|entry| Arc::ptr_eq(&entry.server, server))
        .flat_map(|entry| entry.profile.permissions.iter().cloned())
        .collect();
    if needed.is_empty() {
        server.announces_nothing();
        return;
    }
    let telling = tokio::spawn(tell(rights.clone(), server.clone(), link.clone(), needed));
    server.announces(telling.abort_handle());
}

async fn tell(rights: Arc<Rights>, server: Arc<Server>, link: Arc<Link>, needed: BTreeSet<Permission>) {
    let undecided: Vec<_> = needed
        .iter()
        .filter(|&permission| is_undecided(&rights.permissions, &server, permission))
        .cloned()
        .collect();
    let mut request_id = None;
    // Where no operator's answer would count, there is nothing to ask.
    for permission in undecided.iter().filter(|permission| rights.permissions.waits(server.id(), permission))
    {
        match rights.permissions.open_question(server.id(), permission).await {
            Ok(row) => request_id = request_id.or(Some(row.request_id)),
            Err(error) => {
                tracing::error!(server = server.id(), %permission, %error, "a question could not be kept");
            }
        }
    }
    if !link.negotiated.as_ref().is_some_and(|negotiated| negotiated.has(Extension::Security)) {
        return;
    }
    let request_id = request_id.unwrap_or_else(|| format!("perm-{}", uuid::Uuid::now_v7()));
    let control = link.control();
    if !undecided.is_empty() {
        let params = PermissionRequestParams {
            request_id: request_id.clone(),
            permissions: undecided.iter().map(|permission| permission.as_str().to_owned()).collect(),
            policy: PermissionPolicy::Interactive,
            message: Some("waiting for an operator".to_owned()),
        };
        // A server that does not take the news is held by the gate all the same.
        if let Err(error) = control.request::<RequestPermission>(&params).await {
            tracing::debug!(server = server.id(), %error, "the server did not take the request for permissions");
        }
        let decided = async {
            for permission in &undecided {
                rights.permissions.decided(server.id(), permission).await;
            }
        };
        tokio::select! {
            () = decided => {}
            () = control.closed() => return,
        }
    }
    let grants: BTreeMap<_, _> = needed
        .iter()
        .map(|permission| {
            (permission.as_str().to_owned(), grant(rights.permissions.state(server.id(), permission)))
        })
        .collect();
    // A server that lists its tools again is not told again what it knows.
    if !link.tells(&grants) {
        return;
    }
    let decision = PermissionDecision {
        request_id,
        grants,
        approved_by: Nullable::Absent,
        expires_at: Nullable::Absent,
        scope: None,
    };
    if let Err(error) = control.request::<RespondPermission>(&decision).await {
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
