//! Notifies hosts of their tasks: the session that created a task or, if its host only polls, the requests subscribed to it.
//! A host whose right to the tool was revoked is not notified.

use super::{
    TaskTable,
    ids::rename,
    known_task::{KnownTask, ListenGuard},
    look::look,
};
use crate::{
    host::{HostDialect, Hosts},
    rights::rights::Rights,
    upstream::{Server, name_questions},
};
use mgp_security::access::AccessControl;
use mgp_transport::seam::{Incoming, Peer, Visibility};
use mgp_types::{
    context::Principal,
    json::RawObject,
    mcp::tasks::core::TaskStatusChanged,
    rpc::{Notice, RawParams},
};
use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

/// The time limit for notifying one host.
const TIMEOUT: Duration = Duration::from_secs(1);

/// Keeps only the ids of the host's own tasks, and subscribes to them at their servers until the returned guards are dropped.
pub(crate) fn listen(
    tasks: &TaskTable,
    access: &AccessControl,
    principal: &Principal,
    ids: &mut Vec<String>,
) -> Vec<ListenGuard> {
    let mut listened = Vec::new();
    ids.retain(|id| {
        let own = tasks.get(id, principal);
        let own = own.filter(|known| !known.form.is_by_client() && known.is_allowed(access, principal));
        listened.extend(own.as_ref().map(KnownTask::listened));
        own.is_some()
    });
    listened
}

/// Reports on tasks of servers, for the hosts that are notified of them.
#[derive(Debug, Clone)]
pub(crate) struct TaskNews {
    pub(crate) tasks: Arc<TaskTable>,
    pub(crate) rights: Arc<Rights>,
    pub(crate) hosts: Hosts,
}

impl TaskNews {
    /// Handles a server's report on a task.
    pub(crate) async fn changed(&self, server: &Arc<Server>, params: &RawObject) {
        let known = params.text("taskId").and_then(|own| self.tasks.at(server, &own));
        let Some(known) = known else { return };
        let mut report = params.clone();
        rename(&mut report, &known.id);
        if !known.at_server.is_by_client() {
            let Ok(task) = known.at_server.decode(&params.clone().to_json()) else {
                return tracing::debug!(server = server.id(), "unreadable report on a task");
            };
            let seen = known.sees(task);
            if known.is_across() {
                report = RawObject::from_json(&known.form.encode(&seen)).unwrap_or_default();
            }
        }
        known.activity.changed.notify_waiters();
        if known.form.is_by_client() {
            session(&self.rights, &known, report).await;
        } else if known.is_across() {
            self.listeners(server, &known);
        } else {
            name_questions(&mut report, server);
            tell(&self.rights, &self.hosts, &known, &report).await;
        }
    }

    /// Queries a task for the requests subscribed to it, and notifies them. Changes in the meantime are coalesced into
    /// one notification afterwards.
    pub(crate) fn listeners(&self, server: &Arc<Server>, known: &Arc<KnownTask>) {
        if known.form.is_by_client() || !known.is_listened() {
            return;
        }
        if known.activity.telling.fetch_add(1, Ordering::AcqRel) > 0 {
            return;
        }
        let (rights, hosts) = (self.rights.clone(), self.hosts.downgrade());
        let (server, known) = (server.clone(), known.clone());
        tokio::spawn(async move {
            loop {
                let told = known.activity.telling.load(Ordering::Acquire);
                let looked = look(&server, &known, HostDialect::PLAIN_LISTENER).await;
                let Some(hosts) = hosts.upgrade() else { return };
                match looked.map(|task| RawObject::from_json(&known.form.encode(&task))) {
                    Ok(Ok(params)) => tell(&rights, &hosts, &known, &params).await,
                    other => {
                        tracing::debug!(
                            server = server.id(),
                            ?other,
                            "hosts were not notified of their task"
                        );
                    }
                }
                if known.activity.telling.fetch_sub(told, Ordering::AcqRel) == told {
                    return;
                }
            }
        });
    }
}

/// Notifies the session that created a task.
async fn session(rights: &Rights, known: &KnownTask, params: RawObject) {
    let host = &known.caller.peer;
    if host.is_closed() || !rights.access.view(&known.principal).sees(&known.tool) {
        return;
    }
    let Some(params) = searched(known, params.into()).await else { return };
    let params = HostDialect::of(Some(host.session())).params(params);
    let told = host.notify(TaskStatusChanged::METHOD, params);
    if !matches!(tokio::time::timeout(TIMEOUT, told).await, Ok(Ok(()))) {
        tracing::debug!(session = host.session().id(), "a host was not notified of its task");
    }
}

/// Searches a report for secrets, and returns the form that may leave the kernel; `None` if it must not leave.
async fn searched(known: &KnownTask, params: RawParams) -> Option<RawParams> {
    let mut report = Incoming::notification(TaskStatusChanged::METHOD, params);
    report.set_principal(known.principal.clone());
    known.server.upgrade()?.path.results.notification(report).await
}

/// Notifies the requests subscribed to a task.
async fn tell(rights: &Rights, hosts: &Hosts, known: &KnownTask, params: &RawObject) {
    if !rights.access.view(&known.principal).sees(&known.tool) {
        return;
    }
    let Some(params) = searched(known, params.clone().into()).await else { return };
    let params = HostDialect::PLAIN_LISTENER.params(params);
    let Some(params) = params.get() else { return };
    let may_know = |peer: &Peer| {
        peer.session().get::<Principal>().is_some_and(|caller| caller.is_same_caller(&known.principal))
    };
    hosts.task_changed(&known.id, params, may_know).await;
}
