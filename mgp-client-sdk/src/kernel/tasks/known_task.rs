//! One task: its owner, its server, and its last known state.

use crate::{
    kernel::server::{Caller, Server},
    session::{AnsweredKeys, QuestionGuard},
};
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
pub(in crate::kernel) struct KnownTask {
    /// The id by which hosts know the task.
    pub(in crate::kernel) id: String,
    /// The principal that the task was made for.
    pub(in crate::kernel) principal: Principal,
    /// The tool that the task runs. A right to the tool that was revoked ends the task.
    pub(in crate::kernel) tool: ToolId,
    pub(super) server: Weak<Server>,
    /// The id by which the server knows the task; empty if the kernel keeps the result itself.
    pub(super) own: String,
    /// The form in which the host speaks of the task.
    pub(super) form: TaskForm,
    /// The form in which the server speaks of the task.
    pub(super) at_server: TaskForm,
    /// The host that made the task. The task's questions are put to this host, and a host with a session is told of the task.
    pub(in crate::kernel) caller: Caller,
    /// The result, if the kernel keeps it itself.
    pub(super) kept: Option<RawJson>,
    pub(super) since: Instant,
    /// The time until which the task is known.
    pub(super) until: Instant,
    /// Cancelled when the task has ended or is no longer known, so that its questions are taken back.
    pub(super) over: CancelToken,
    pub(super) activity: TaskActivity,
}

/// The state of a task that changes.
#[derive(Debug, Default)]
pub(super) struct TaskActivity {
    /// The last known state of the task, without the members that belong to its status.
    seen: Mutex<Option<Task>>,
    /// True if the host has cancelled the task: whatever becomes of it, the host is told that it is cancelled.
    cancelled: AtomicBool,
    /// The questions that were brought to the host, or are on their way.
    asked: AnsweredKeys,
    /// Notified when the server has told of the task, and when the host is told of its end.
    pub(super) changed: Notify,
    /// True while a request that carries the task's questions is under way.
    pub(super) carried: AtomicBool,
    /// The number of changes that hosts are being told of.
    pub(super) telling: AtomicUsize,
    /// The number of requests of stateless hosts that listen for the task.
    listened: AtomicUsize,
}

/// The most questions of one task that are brought to a host.
const MOST_ASKED: usize = 1024;

impl KnownTask {
    /// Returns whether a principal may look at the task: its caller, acting for nobody else or for the same principals as when the
    /// task was made.
    pub(super) fn is_for(&self, principal: &Principal) -> bool {
        self.principal == *principal || !principal.is_delegated() && self.principal.is_same_caller(principal)
    }

    /// Returns whether a principal that looks at the task, and the principal that it was made for, may both still use its tool,
    /// along with everybody they act for: a right that was revoked ends what it began.
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

    /// Returns the time for which the task is still known.
    pub(in crate::kernel) fn remaining(&self) -> Duration {
        self.until.saturating_duration_since(Instant::now())
    }

    pub(super) fn is_of(&self, server: &Arc<Server>) -> bool {
        std::ptr::eq(self.server.as_ptr(), Arc::as_ptr(server))
    }

    /// Returns whether a host wants to hear of the task from its server, and the server tells of it only if asked to.
    pub(super) fn is_wanted(&self) -> bool {
        let heard = if self.form.is_by_client() { !self.caller.peer.is_closed() } else { self.is_listened() };
        heard && !self.at_server.is_by_client() && !self.has_ended()
    }

    /// Returns the last known state of the task, without the members that belong to its status.
    pub(super) fn last_seen(&self) -> Option<Task> {
        self.activity.seen.lock().clone()
    }

    /// Notes the state of the task that its server shows, and returns the task as its host is to see it.
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

    /// Notes that the task has ended, of which its host is told, and wakes whoever waits for its end.
    pub(super) fn end(&self) {
        self.over.cancel(CancelCause::Disconnected);
        self.activity.changed.notify_waiters();
        self.ring();
    }

    pub(in crate::kernel) fn has_ended(&self) -> bool {
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

    /// Takes a question, to bring it to the host; `None` if another request brings it, or has brought it.
    pub(super) fn takes_question(&self, key: &str) -> Option<QuestionGuard<'_>> {
        self.activity.asked.take(key, MOST_ASKED).ok().flatten()
    }

    /// Returns whether a request of a stateless host listens for the task.
    pub(super) fn is_listened(&self) -> bool {
        self.activity.listened.load(Ordering::Relaxed) > 0
    }

    /// Counts one more request that listens for the task, for as long as the returned value lives.
    pub(super) fn listened(self: &Arc<Self>) -> ListenGuard {
        self.activity.listened.fetch_add(1, Ordering::Relaxed);
        self.ring();
        ListenGuard(self.clone())
    }

    /// Has the server asked anew for the notifications that hosts want of the task.
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

/// A request that listens for a task, until this value is dropped.
#[derive(Debug)]
pub(in crate::kernel) struct ListenGuard(Arc<KnownTask>);

impl Drop for ListenGuard {
    fn drop(&mut self) {
        self.0.activity.listened.fetch_sub(1, Ordering::Relaxed);
        self.0.ring();
    }
}
