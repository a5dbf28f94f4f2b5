//! One task: its owner, its server, and its last known state.

use crate::{ground::caller::Caller, upstream::Server};
use mgp_client_sdk::session::{AnsweredKeys, QuestionGuard};
use mgp_security::access::AccessControl;
use mgp_transport::seam::{CancelCause, CancelToken, Visibility};
use mgp_types::{
    context::{Principal, ToolId},
    json::RawJson,
    mcp::tasks::{Task, TaskForm, TaskStatus},
};
use parking_lot::Mutex;
use std::{
    sync::{
        Arc, Weak,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};
use tokio::sync::Notify;

/// One task: its owner, its server, and its last known state.
#[derive(Debug)]
pub(crate) struct KnownTask {
    /// The id by which hosts know the task.
    pub(crate) id: String,
    /// The principal on whose behalf the task was created.
    pub(crate) principal: Principal,
    /// The tool of the task. If the right to the tool is revoked, the task ends.
    pub(crate) tool: ToolId,
    pub(super) server: Weak<Server>,
    /// The id by which the server knows the task; empty if the kernel keeps the result itself.
    pub(super) own: String,
    /// The host's form of the task.
    pub(super) form: TaskForm,
    /// The server's form of the task.
    pub(super) at_server: TaskForm,
    /// The host that created the task. It is asked the task's questions and, if it has a session, notified of the task.
    pub(crate) caller: Caller,
    /// The result, if the kernel keeps it itself.
    pub(super) kept: Option<RawJson>,
    pub(super) since: Instant,
    /// The time until which the task is known.
    pub(super) until: Instant,
    /// Cancelled when the task has ended or is no longer known, so that its questions are withdrawn.
    pub(super) over: CancelToken,
    pub(super) activity: TaskActivity,
}

/// The changing state of a task.
#[derive(Debug, Default)]
pub(super) struct TaskActivity {
    /// The last known state of the task, without the members that belong to its status.
    seen: Mutex<Option<Task>>,
    /// True if the host has cancelled the task. The host then sees it as cancelled, whatever its later state.
    cancelled: AtomicBool,
    /// The questions that were sent to the host, or are being sent.
    asked: AnsweredKeys,
    /// Notified when the server reports on the task, and when its end is reported to the host.
    pub(super) changed: Notify,
    /// True while a request that carries the task's questions is in flight.
    pub(super) carried: AtomicBool,
    /// The number of changes of which hosts are currently being notified.
    pub(super) telling: AtomicUsize,
    /// The number of stateless hosts' requests that are subscribed to the task.
    listened: AtomicUsize,
}

/// The maximum number of questions of one task that are sent to a host.
const MOST_ASKED: usize = 1024;

impl KnownTask {
    /// Returns whether a principal may access the task: its caller, acting for nobody else or for the same principals as when the
    /// task was created.
    pub(super) fn is_for(&self, principal: &Principal) -> bool {
        self.principal == *principal || !principal.is_delegated() && self.principal.is_same_caller(principal)
    }

    /// Returns whether a principal that accesses the task, and the principal for whom it was created, may both still use its
    /// tool, including everybody they act for. A revoked right also ends the tasks that it allowed.
    pub(super) fn is_allowed(&self, access: &AccessControl, principal: &Principal) -> bool {
        [principal, &self.principal].iter().all(|who| access.view(who).sees(&self.tool))
    }

    /// Returns whether the task's host and server use different forms.
    pub(super) fn is_across(&self) -> bool {
        self.form != self.at_server
    }

    pub(super) fn is_known_at(&self, now: Instant) -> bool {
        self.until > now && self.server.strong_count() > 0
    }

    /// Returns the remaining lifetime of the task.
    pub(crate) fn remaining(&self) -> Duration {
        self.until.saturating_duration_since(Instant::now())
    }

    pub(super) fn is_of(&self, server: &Arc<Server>) -> bool {
        std::ptr::eq(self.server.as_ptr(), Arc::as_ptr(server))
    }

    /// Returns whether a host is subscribed to the task, and the server reports on it only on request.
    pub(super) fn is_wanted(&self) -> bool {
        let heard = if self.form.is_by_client() { !self.caller.peer.is_closed() } else { self.is_listened() };
        heard && !self.at_server.is_by_client() && !self.has_ended()
    }

    /// Returns the last known state of the task, without the members that belong to its status.
    pub(super) fn last_seen(&self) -> Option<Task> {
        self.activity.seen.lock().clone()
    }

    /// Notes the task's state at its server, and returns the task in the form for its host.
    pub(super) fn sees(&self, mut task: Task) -> Task {
        task.task_id.clone_from(&self.id);
        if self.is_cancelled() {
            task.status = TaskStatus::Cancelled;
        }
        *self.activity.seen.lock() = Some(task.outline());
        if task.status.is_terminal() && !self.has_ended() {
            self.end();
        }
        task
    }

    /// Notes that the end of the task is reported to its host, and wakes the tasks that wait for it.
    pub(super) fn end(&self) {
        self.over.cancel(CancelCause::Disconnected);
        self.activity.changed.notify_waiters();
        self.ring();
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.over.is_cancelled()
    }

    /// Notes that the host has cancelled the task.
    pub(super) fn cancel(&self) {
        self.activity.cancelled.store(true, Ordering::Release);
    }

    pub(super) fn is_cancelled(&self) -> bool {
        self.activity.cancelled.load(Ordering::Acquire)
    }

    pub(super) fn kept_bytes(&self) -> usize {
        self.kept.as_ref().map_or(0, |kept| kept.as_bytes().len())
    }

    /// Claims a question, to send it to the host; `None` if another request is sending it or has sent it.
    pub(super) fn takes_question(&self, key: &str) -> Option<QuestionGuard<'_>> {
        self.activity.asked.take(key, MOST_ASKED).ok().flatten()
    }

    /// Returns whether a request of a stateless host is subscribed to the task.
    pub(super) fn is_listened(&self) -> bool {
        self.activity.listened.load(Ordering::Relaxed) > 0
    }

    /// Counts one more request that is subscribed to the task, until the returned guard is dropped.
    pub(super) fn listened(self: &Arc<Self>) -> ListenGuard {
        self.activity.listened.fetch_add(1, Ordering::Relaxed);
        self.ring();
        ListenGuard(self.clone())
    }

    /// Updates the server's subscriptions to the task for the hosts.
    pub(super) fn ring(&self) {
        if !self.at_server.is_by_client()
            && let Some(server) = self.server.upgrade()
        {
            server.watched().ring();
        }
    }
}

impl Drop for KnownTask {
    fn drop(&mut self) {
        self.over.cancel(CancelCause::Disconnected);
    }
}

/// A request that is subscribed to a task, until this value is dropped.
#[derive(Debug)]
pub(crate) struct ListenGuard(Arc<KnownTask>);

impl Drop for ListenGuard {
    fn drop(&mut self) {
        self.0.activity.listened.fetch_sub(1, Ordering::Relaxed);
        self.0.ring();
    }
}
