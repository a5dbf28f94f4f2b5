//! §3.5, §3.6 Announces to a server its permissions that wait for an operator, and the decisions.
//!
//! The announcements are informational. The permission layer decides whether the server's tools may be called, whatever the
//! server does.

use crate::{
    catalog::tools::ToolTable,
    rights::rights::Rights,
    upstream::{Grant, Link, Server},
};
use mgp_security::permission::Permissions;
use mgp_transport::seam::{CallError, ControlPeer};
use mgp_types::{
    error::ErrorCode,
    json::{Nullable, RawJson, RawObject},
    negotiation::{Extension, MgpVersion},
    permission::{
        AwaitPermission, GrantPermission, GrantValue, Permission, PermissionDecision, PermissionPolicy,
        PermissionRequestParams, PermissionState, RequestPermission, RespondPermission,
    },
};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};
use tokio::{sync::oneshot, task::JoinSet};

/// The time limit of a server's answer to a decision.
const TIMEOUT: Duration = Duration::from_secs(10);
/// The pause before a decision is resent that the server did not answer.
const RETRY: Duration = Duration::from_secs(10);

/// Opens a question for every undecided permission that a server or one of its tools needs. Announces the permissions to the server if it
/// negotiated `security`. Returns at once, with a receiver that ends when the questions are open. A background task opens them, and
/// announces each decision, revocation and expiry. A later announcement replaces this one.
pub(crate) fn permissions(
    rights: &Arc<Rights>,
    tools: &ToolTable,
    server: &Arc<Server>,
    link: &Arc<Link>,
) -> oneshot::Receiver<()> {
    let (asking, asked) = oneshot::channel();
    let needed: BTreeSet<Permission> = tools
        .entries()
        .filter(|entry| Arc::ptr_eq(&entry.server, server) && !entry.is_disabled())
        .flat_map(|entry| entry.profile.permissions.iter().cloned())
        .chain(declared(link))
        .collect();
    if needed.is_empty() {
        server.stop_announcing();
        return asked;
    }
    let telling = tell(rights.permissions.clone(), server.clone(), link.clone(), needed, asking);
    server.set_announcing(tokio::spawn(telling).abort_handle());
    asked
}

/// Returns the permissions that the server itself declared, which its tools may not need. Names that are not permissions are skipped.
fn declared(link: &Link) -> impl Iterator<Item = Permission> {
    let negotiated = link.negotiated.iter();
    let names = negotiated.flat_map(|negotiated| negotiated.permissions_required.iter());
    names.filter_map(|name| Permission::expand(name).ok()).flatten()
}

/// Opens the questions, drops `asking` when they are open, and announces the decisions to the server.
async fn tell(
    permissions: Permissions,
    server: Arc<Server>,
    link: Arc<Link>,
    needed: BTreeSet<Permission>,
    asking: oneshot::Sender<()>,
) {
    let takes_news = link.negotiated.as_ref().is_some_and(|negotiated| negotiated.has(Extension::Security));
    let control = link.control();
    let mut changes = permissions.decisions();
    // Decisions are announced even while a request is unanswered.
    let mut requests = JoinSet::new();
    let mut asking = Some(asking);
    loop {
        let is_decided = decide_by_policy(&permissions, &server, &needed).await;
        let undecided: BTreeSet<_> =
            needed.iter().filter(|&permission| is_undecided(&permissions, &server, permission)).collect();
        let question_id = open_questions(&permissions, &server, &undecided).await;
        drop(asking.take());
        let mut is_told = is_decided;
        if takes_news {
            let names = undecided.iter().map(|permission| permission.as_str().to_owned()).collect();
            let is_asked = undecided.iter().any(|permission| permissions.asks(server.id(), permission));
            let (id, is_news) = note_request(&link, &names, question_id, is_asked);
            if is_news {
                let params = PermissionRequestParams {
                    request_id: id.clone(),
                    permissions: names.into_iter().collect(),
                    // Every other policy has decided by now.
                    policy: PermissionPolicy::Interactive,
                    message: Some("waiting for an operator".to_owned()),
                };
                requests.spawn(request(server.clone(), (control.clone(), knows_later_names(&link)), params));
            }
            is_told &= tell_grants(&permissions, &server, &link, &needed, &id, is_asked).await;
        }
        let retry = async {
            if is_told {
                std::future::pending::<()>().await;
            }
            tokio::time::sleep(RETRY).await;
        };
        tokio::select! {
            changed = changes.changed() => if changed.is_err() {
                return;
            },
            () = retry => {}
            () = control.closed() => return,
        }
        while requests.try_join_next().is_some() {}
    }
}

/// Applies the policy's decisions on the permissions that it does not leave to the operator. Returns `false` if a decision could not
/// be stored.
async fn decide_by_policy(permissions: &Permissions, server: &Server, needed: &BTreeSet<Permission>) -> bool {
    // The permissions of a session's tool (§16.6) were recorded when it was created, and none are stored.
    if server.spec.session.is_some() {
        return true;
    }
    let mut is_decided = true;
    for permission in needed {
        if let Err(error) = permissions.decide_by_policy(server.id(), permission).await {
            tracing::error!(server = server.id(), %permission, %error, "the policy's decision could not be kept");
            is_decided = false;
        }
    }
    is_decided
}

/// The first version of MGP with the later names of the methods.
const LATER_NAMES: MgpVersion = MgpVersion { major: 0, minor: 4, patch: 0 };

/// Returns whether a server announced a version with the later names of the methods.
fn knows_later_names(link: &Link) -> bool {
    link.negotiated.as_ref().is_some_and(|negotiated| negotiated.version >= LATER_NAMES)
}

/// Notes the permissions that a server is requested to wait for. Returns the id of the request, and whether it is new.
fn note_request(
    link: &Link,
    names: &BTreeSet<String>,
    question_id: Option<String>,
    is_asked: bool,
) -> (String, bool) {
    let mut news = link.news();
    let id = news.request_id.take().or(question_id);
    let id = id.unwrap_or_else(|| format!("perm-{}", uuid::Uuid::now_v7()));
    news.request_id = is_asked.then(|| id.clone());
    let is_news = !names.is_empty() && news.requested != *names;
    news.requested.clone_from(names);
    (id, is_news)
}

/// Opens the questions about undecided permissions that an operator can answer, and returns the id of the first.
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
                // There is no room for the other questions, either.
                if error.code == i64::from(ErrorCode::ResourceExhausted) {
                    break;
                }
            }
        }
    }
    request_id
}

/// Requests the server to wait for decisions. If it does not, the gate still refuses its calls.
async fn request(
    server: Arc<Server>,
    (control, is_later): (ControlPeer, bool),
    params: PermissionRequestParams,
) {
    let asked = match is_later {
        true => control.request::<AwaitPermission>(&params).await,
        false => control.request::<RequestPermission>(&params).await,
    };
    if let Err(error) = asked {
        tracing::debug!(server = server.id(), %error, "the server did not accept the request for permissions");
    }
}

/// Announces each new decision on the server's permissions. If nobody is asked, it also announces that there is no decision. Returns
/// `false` if the server did not answer.
async fn tell_grants(
    permissions: &Permissions,
    server: &Server,
    link: &Link,
    needed: &BTreeSet<Permission>,
    request_id: &str,
    is_asked: bool,
) -> bool {
    // Grants of one person with the same expiry are one decision.
    let mut decisions = BTreeMap::<_, BTreeMap<String, Grant>>::new();
    {
        let news = link.news();
        for permission in needed {
            let grant = grant(permissions, server.id(), permission);
            let told = news.told.get(permission.as_str());
            let is_open = grant.value == GrantValue::Deferred && told.is_none() && is_asked;
            if told != Some(&grant) && !is_open {
                let made = (grant.approved_by.clone(), grant.expires_at.clone());
                decisions.entry(made).or_default().insert(permission.as_str().to_owned(), grant);
            }
        }
    }
    for ((approved_by, expires_at), grants) in decisions {
        let decision = PermissionDecision {
            request_id: request_id.to_owned(),
            grants: grants.iter().map(|(name, grant)| (name.clone(), grant.value)).collect(),
            approved_by: approved_by.map_or(Nullable::Absent, Nullable::Value),
            expires_at: expires_at.map_or(Nullable::Absent, Nullable::Value),
            scope: scopes(&grants),
            expirations: BTreeMap::new(),
        };
        let answer = link.control();
        let answer = async {
            match knows_later_names(link) {
                true => answer.request::<GrantPermission>(&decision).await,
                false => answer.request::<RespondPermission>(&decision).await,
            }
        };
        match tokio::time::timeout(TIMEOUT, answer).await {
            Ok(Ok(_)) => {}
            // The server answered, if not as expected.
            Ok(Err(error @ (CallError::Peer(_) | CallError::Result { .. }))) => {
                tracing::debug!(server = server.id(), %error, "the server did not accept the decision");
            }
            Ok(Err(error)) => {
                tracing::debug!(server = server.id(), %error, "the server was not notified of the decision");
                return false;
            }
            Err(_) => {
                tracing::debug!(server = server.id(), "the server did not answer the decision in time");
                return false;
            }
        }
        link.news().told.extend(grants);
    }
    true
}

/// Returns the limits of grants by the names of their permissions; `None` if there are none.
fn scopes(grants: &BTreeMap<String, Grant>) -> Option<RawObject> {
    let mut scopes = RawObject::new();
    for (name, grant) in grants {
        if let Some(scope) = grant.scope.as_ref().and_then(|scope| RawJson::from_value(scope).ok()) {
            scopes.insert_named(name, scope);
        }
    }
    (!scopes.is_empty()).then_some(scopes)
}

fn is_undecided(permissions: &Permissions, server: &Server, permission: &Permission) -> bool {
    let state = permissions.state(server.id(), permission);
    matches!(state, PermissionState::Deferred | PermissionState::Expired)
        && !permissions.has_all(server.id(), std::slice::from_ref(permission))
}

fn grant(permissions: &Permissions, server_id: &str, permission: &Permission) -> Grant {
    let value = match permissions.state(server_id, permission) {
        PermissionState::Approved => GrantValue::Approved,
        PermissionState::Denied => GrantValue::Denied,
        PermissionState::Deferred | PermissionState::Expired => GrantValue::Deferred,
    };
    let approval = permissions.approval(server_id, permission);
    let (approved_by, expires_at) = approval.unzip();
    let expires_at = expires_at.flatten().map(|end| end.to_string());
    Grant { value, approved_by, expires_at, scope: permissions.scope(server_id, permission) }
}
