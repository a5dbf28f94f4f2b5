//! Handles the messages that a server sends on its own initiative.

use super::{
    Caller, Link, Server, callbacks,
    callers::{NoCaller, stream_of},
    questions, roots,
    shared::{OWNER_LEAVES, ask_guest, is_guest},
};
use crate::kernel::{
    boot::core::Core,
    features::tasks::KnownTask,
    ground::changes::Change,
    host::{HostDialect, is_of_admin, is_of_operator},
};
use futures_core::future::BoxFuture;
use jiff::Timestamp;
use mgp_server_sdk::logging;
use mgp_transport::seam::{BoxError, CancelToken, Incoming, Peer, Reply, Session, Visibility};
use mgp_types::{
    audit::{Audit, AuditEvent},
    callback::CallbackRequest,
    context::{ActorType, Principal},
    events::Event,
    json::{Nullable, RawJson, RawObject},
    lifecycle::LifecycleChange,
    mcp::{
        ElicitationComplete, LogMessage, PromptListChanged, ResourceListChanged, ResourceUpdated,
        ToolListChanged,
        tasks::{
            core::{RELATED_TASK_KEY, TaskStatusChanged, related_to_task},
            extension::TaskChanged,
        },
    },
    negotiation::{Extension, Negotiation},
    rpc::{ErrorObject, Notice, RawParams, RawResult},
};
use std::{
    sync::{Arc, Weak},
    task::{Context, Poll},
    time::Duration,
};
use tower_service::Service;

/// The service for messages that a server sends on its own initiative. A server's claims about its rights are ignored.
#[derive(Debug, Clone)]
pub(super) struct Inbound {
    pub(super) core: Weak<Core>,
    pub(super) server: Arc<Server>,
}

impl Service<Incoming> for Inbound {
    type Response = Reply;
    type Error = BoxError;
    type Future = BoxFuture<'static, Result<Reply, BoxError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, message: Incoming) -> Self::Future {
        let this = self.clone();
        Box::pin(async move {
            if !message.is_notification() {
                return Ok(this.asked(message).await.into());
            }
            this.notified(&message).await;
            Ok(Reply::none())
        })
    }
}

/// Returns the id of the task that a question names.
fn task_of(message: &Incoming) -> Option<String> {
    message.params.object().ok()?.object("_meta")?.object(RELATED_TASK_KEY)?.text("taskId")
}

impl Inbound {
    pub(super) fn new(core: &Arc<Core>, server: &Arc<Server>) -> Self {
        Self { core: Arc::downgrade(core), server: server.clone() }
    }

    /// Answers a request of the server by asking the host of its call or task.
    async fn asked(&self, message: Incoming) -> Result<RawResult, ErrorObject> {
        if let Some(asked) = self.of_task(&message) {
            return self.asked_by_task(message, asked?).await;
        }
        let caller = match self.server.callers.asked(stream_of(&message)) {
            Ok(caller) => caller,
            Err(why) => self.host_outside(&message.method, why).ok_or_else(|| {
                tracing::info!(server = self.server.id(), method = %message.method, %why, "nobody can be asked");
                if questions::is_question(&message.method) {
                    ErrorObject::invalid_request(format!("{} cannot be asked of a host: {why}", message.method))
                } else {
                    ErrorObject::method_not_found(&message.method)
                }
            })?,
        };
        let cancel = message.cancel_token().cloned().unwrap_or_default();
        let is_for_guest = is_guest(&caller.peer);
        if self.server.spec.shared && !is_for_guest && task_of(&message).is_some() {
            // Another kernel that uses the process created the task, and its hosts are asked.
            return Err(ErrorObject::invalid_request("nobody can be asked for the task"));
        }
        if is_for_guest {
            let asked = ask_guest(&caller, &message.method, message.params);
            return answered(asked, &caller, &cancel).await;
        }
        let asked = questions::ask(
            &self.server,
            &caller,
            self.server.spec.question_timeout,
            None,
            &message.method,
            message.params,
        );
        answered(asked, &caller, &cancel).await
    }

    /// Returns the task that a question belongs to, and the host to ask; `None` if the question names no known task.
    fn of_task(&self, message: &Incoming) -> Option<Result<(Arc<KnownTask>, Caller), ErrorObject>> {
        let own = task_of(message)?;
        let core = self.core.upgrade()?;
        let known = core.tasks.at(&self.server, &own)?;
        // A revoked right also ends the tasks that it allowed.
        if !core.rights.access.view(&known.principal).sees(&known.tool) {
            return Some(Err(ErrorObject::invalid_request("nobody can be asked for the task")));
        }
        let maker = known.caller.clone();
        if maker.parked.is_some() {
            return Some(Ok((known, maker)));
        }
        // The host that waits for the task, or else the host that created it.
        let is_maker = |who: &Principal| who.is_same_caller(&known.principal);
        let waiting = self.server.callers.of(message).ok();
        let waiting = waiting.filter(|caller| caller.principal.as_ref().is_some_and(is_maker));
        let caller = waiting.or_else(|| (!maker.peer.is_closed()).then_some(maker));
        let gone = || ErrorObject::invalid_request("the host of the task is gone");
        Some(caller.map(|caller| (known, caller)).ok_or_else(gone))
    }

    /// Answers a question of one of the server's tasks. A host of a stateless revision is asked when it queries the task.
    async fn asked_by_task(
        &self,
        message: Incoming,
        (known, caller): (Arc<KnownTask>, Caller),
    ) -> Result<RawResult, ErrorObject> {
        let cancel = message.cancel_token().cloned().unwrap_or_default();
        let (mut params, method) = (message.params.into_object()?, message.method);
        let (key, limit) = match &caller.parked {
            Some(parked) => {
                forget_task(&mut params);
                (Some(parked.fresh_key(&method)), known.remaining())
            }
            None => {
                params = related_to_task(params, &known.id);
                (None, self.server.spec.question_timeout)
            }
        };
        let asked = questions::ask(&self.server, &caller, limit, key.as_deref(), &method, params.into());
        tokio::pin!(asked);
        // The question is asked before subscribers are notified of it.
        if let Poll::Ready(answer) = futures_util::poll!(&mut asked) {
            return answer;
        }
        if let Some(core) = self.core.upgrade() {
            core.task_news().listeners(&self.server, &known);
        }
        answered(asked, &caller, &cancel).await
    }

    /// Returns the host that answers a request outside of a call. Only `roots/list` may be requested there.
    fn host_outside(&self, method: &str, why: NoCaller) -> Option<Caller> {
        let core = self.core.upgrade().filter(|_| why == NoCaller::None)?;
        roots::host_of(&core, &self.server, method)
    }

    async fn notified(&self, message: &Incoming) {
        self.server.shared.guests.pass_on(message).await;
        match &*message.method {
            Audit::METHOD => {
                let negotiated = message.session().and_then(Session::get::<Negotiation>);
                self.audit(negotiated.as_ref(), &message.params).await;
            }
            LogMessage::METHOD => self.log(message).await,
            OWNER_LEAVES => self.server.shared.note_owner_leaves(),
            CallbackRequest::METHOD => {
                if let Some(peer) = message.peer() {
                    let stream = stream_of(message);
                    callbacks::take(&self.server, peer, &message.params, stream).await;
                }
            }
            TaskStatusChanged::METHOD => {
                if let (Some(core), Ok(params)) = (self.core.upgrade(), message.params.object()) {
                    core.task_news().changed(&self.server, params).await;
                }
            }
            method => {
                let params = message.params.object().cloned().unwrap_or_else(|_| RawObject::new());
                self.heard(method, &params).await;
            }
        }
    }

    /// Announces the server's permissions to it.
    pub(super) fn announce_permissions(&self, link: &Arc<Link>) {
        if let Some(core) = self.core.upgrade() {
            core.announce_permissions(&self.server, link);
        }
    }

    /// Handles a notification of a change.
    pub(super) async fn heard(&self, method: &str, params: &RawObject) {
        match method {
            ToolListChanged::METHOD => self.server.changes.note(Change::Tools),
            PromptListChanged::METHOD => self.server.changes.note(Change::Prompts),
            ResourceListChanged::METHOD => self.server.changes.note(Change::Resources),
            ResourceUpdated::METHOD => {
                if let Some(uri) = params.text("uri") {
                    self.updated(&uri).await;
                }
            }
            LifecycleChange::METHOD => {
                tracing::debug!(
                    server = self.server.id(),
                    ?params,
                    "the server's own statement about its state"
                );
            }
            TaskChanged::METHOD => {
                if let Some(core) = self.core.upgrade() {
                    core.task_news().changed(&self.server, params).await;
                }
            }
            Event::METHOD => self.event(params).await,
            ElicitationComplete::METHOD => self.elicitation_complete(params).await,
            _ => tracing::trace!(server = self.server.id(), method, "notification ignored"),
        }
    }

    /// Notifies the host that was sent to a URL that its user is done there, even if its call has ended.
    async fn elicitation_complete(&self, params: &RawObject) {
        let host = params.text("elicitationId").and_then(|id| self.server.elicited.take(&id));
        let Some(host) = host else {
            return tracing::debug!(server = self.server.id(), "an unknown elicitation is done");
        };
        let params = HostDialect::of(Some(host.session())).params(params.clone().into());
        let told = host.notify(ElicitationComplete::METHOD, params);
        if !matches!(tokio::time::timeout(LOG_TIMEOUT, told).await, Ok(Ok(()))) {
            tracing::debug!("a host was not notified that an elicitation is done");
        }
    }

    /// Notifies the hosts that a resource has changed. A resource that no host watches is ignored.
    pub(super) async fn updated(&self, uri: &str) {
        if let Some(core) = self.core.upgrade().filter(|_| self.server.watched().has(uri)) {
            core.hosts.resource_updated(&core.rights.access, self.server.id(), uri).await;
        }
    }

    /// Forwards a log message to the hosts that accept it: the host of the call in flight, else all hosts that may use the
    /// server.
    ///
    /// A log message may contain data of a call, and thus of one principal. Therefore:
    /// - A message of an ended call is not forwarded.
    /// - If the call is unknown and the hosts have several principals, not counting operators, only hosts with the admin role get the message.
    /// - Once another kernel has used the server's process, a message may belong to that kernel's calls, and none is forwarded.
    ///
    /// The message is searched for secrets once, for all its hosts.
    async fn log(&self, message: &Incoming) {
        let params = &message.params;
        tracing::debug!(target: "mgp::server_log", server = self.server.id(), params = ?params.get());
        if self.server.shared.guests.were_there() {
            return;
        }
        let Some(core) = self.core.upgrade() else { return };
        let mut peers = match self.server.callers.of(message) {
            Ok(caller) => vec![caller.peer],
            Err(NoCaller::Over) => return,
            Err(_) => of_one_principal(core.hosts.who_see(&core.rights.access, self.server.id())),
        };
        peers.retain(|peer| logging::is_wanted(peer.session(), params));
        let Some(first) = peers.first() else { return };
        let Some(params) = self.searched(first, params.clone()).await else { return };
        for peer in &peers {
            let params = HostDialect::of(Some(peer.session())).params(params.clone());
            let told = peer.notify(LogMessage::METHOD, params);
            if !matches!(tokio::time::timeout(LOG_TIMEOUT, told).await, Ok(Ok(()))) {
                tracing::debug!(session = peer.session().id(), "a host did not accept a log message");
            }
        }
    }

    /// Searches a log message for secrets. Returns the form that may leave the kernel; `None` if it must not leave. The event names the
    /// principal of a host that accepts the message.
    async fn searched(&self, host: &Peer, params: RawParams) -> Option<RawParams> {
        let mut message = Incoming::notification(LogMessage::METHOD, params);
        if let Some(principal) = host.session().get::<Principal>() {
            message.ext.insert(principal);
        }
        self.server.results.notification(message).await
    }

    /// Stores an event that the server reports. Its actor and its target are always the server, and its time is that of its receipt,
    /// because the trail is ordered by time. Only a server that negotiated `audit` may report events. Their size and rate are limited,
    /// because all events share one trail.
    pub(super) async fn audit(&self, negotiated: Option<&Negotiation>, params: &RawParams) {
        let Some(core) = self.core.upgrade() else { return };
        let length = params.get().map_or(0, |params| params.as_bytes().len());
        if !negotiated.is_some_and(|negotiated| negotiated.has(Extension::Audit)) || length > MAX_EVENT {
            if let Some(left_out) = self.server.warnings.audit_events.admit() {
                let server = self.server.id();
                tracing::warn!(server, length, left_out, "audit event of the server dropped");
            }
            return;
        }
        match params.decode::<AuditEvent>() {
            Ok(mut event) => {
                event.actor.kind = ActorType::Server;
                event.actor.id = self.server.id().to_owned();
                let mut target = event.target.get().cloned().unwrap_or_default();
                target.server_id = Nullable::Value(self.server.id().to_owned());
                event.target = Nullable::Value(target);
                let reported_at = std::mem::replace(&mut event.timestamp, format!("{:.3}", Timestamp::now()));
                event.details.get_or_insert_default().insert("reported_at", RawJson::string(&reported_at));
                core.trail.store(event).await;
                // The server's next notification waits for this one, so this pause limits the server's rate.
                tokio::time::sleep(EVENT_PAUSE).await;
            }
            Err(error) => {
                if let Some(left_out) = self.server.warnings.audit_events.admit() {
                    tracing::warn!(server = self.server.id(), %error, left_out, "unreadable audit event dropped");
                }
            }
        }
    }
}

/// Returns the hosts if all except operators' have the same principal, and otherwise only those with the admin role. An agent with that
/// role is a principal like any other: a message may belong to its call.
fn of_one_principal(mut hosts: Vec<Peer>) -> Vec<Peer> {
    let principal = |host: &Peer| host.session().get::<Principal>();
    let mut others = hosts.iter().filter(|host| !is_of_operator(host)).map(principal);
    let first = others.next();
    if !others.all(|other| Some(other) == first) {
        hosts.retain(is_of_admin);
    }
    hosts
}

/// Waits for a host's answer, until the server withdraws its question, or the question's call or task has ended.
async fn answered(
    asked: impl Future<Output = Result<RawResult, ErrorObject>>,
    caller: &Caller,
    cancel: &CancelToken,
) -> Result<RawResult, ErrorObject> {
    tokio::select! {
        answer = asked => answer,
        () = caller.over() => {
            Err(ErrorObject::invalid_request("the call of this question has ended"))
        }
        // The server has withdrawn its question, and gets no answer.
        () = cancel.cancelled() => Err(ErrorObject::invalid_request("the question was taken back")),
    }
}

/// Removes the id of a task from a question, because the host finds the question in the task.
fn forget_task(params: &mut RawObject) {
    params.edit("_meta", |meta| meta.remove(RELATED_TASK_KEY).is_some());
}

/// The time for which one host may delay a server, by not accepting a log message or another notification.
pub(super) const LOG_TIMEOUT: Duration = Duration::from_secs(1);

/// The maximum size of an audit event that a server reports, in bytes, with all its members.
const MAX_EVENT: usize = 64 * 1024;

/// The minimum time between two audit events that a server reports.
const EVENT_PAUSE: Duration = Duration::from_millis(10);
