//! One task: whose it is, where it runs, and what is known of it.

use super::form::Form;
use crate::kernel::server::{Caller, Server};
use mgp_security::access::AccessControl;
use mgp_types::{
    context::{Principal, ToolId},
    json::RawJson,
    mcp::tasks::core,
};
use std::{
    collections::HashSet,
    fmt,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// One task: whose it is, where it runs, and what is known of it.
pub(in crate::kernel) struct Known {
    /// What hosts call it.
    pub(in crate::kernel) id: String,
    pub(super) principal: Principal,
    pub(super) tool: ToolId,
    pub(super) server: Weak<Server>,
    /// What its server calls it; nothing where the kernel keeps the result itself.
    pub(super) own: String,
    /// The form in which its host speaks.
    pub(super) form: Form,
    /// The form in which its server does.
    pub(super) at_server: Form,
    /// The host that made it: what the task asks is asked there, and a host with a session hears of it.
    pub(super) caller: Caller,
    pub(super) since: Instant,
    until: Instant,
    seen: Mutex<Seen>,
    /// Rings when the server has told of it.
    pub(super) changed: Notify,
    /// Cancelled when it has ended, or is no longer known: what was asked for it is taken back.
    pub(super) over: CancellationToken,
    /// Whether a request that brings its questions is under way.
    pub(super) carried: AtomicBool,
    /// Whether hosts are being told of it, and whether they are to be told once more.
    pub(super) telling: Mutex<Telling>,
    /// How many requests of stateless hosts listen for it.
    listened: AtomicUsize,
}

/// What was seen of a task last.
#[derive(Debug, Default)]
struct Seen {
    /// In the words of revision 2025-11-25.
    task: Option<core::Task>,
    ended: bool,
    /// Its host has cancelled it: whatever becomes of it, that is what the host is told.
    cancelled: bool,
    /// The result, where the kernel keeps it itself.
    kept: Option<RawJson>,
    /// The questions that were brought to the host, or are on their way.
    asked: HashSet<String>,
}

/// Whether hosts are being told of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Telling {
    /// Nobody is.
    #[default]
    No,
    /// They are.
    Now,
    /// They are, and something has changed since.
    Again,
}

/// A task that is to be known.
pub(super) struct NewTask {
    pub(super) principal: Principal,
    pub(super) tool: ToolId,
    pub(super) server: Weak<Server>,
    pub(super) own: String,
    pub(super) form: Form,
    pub(super) at_server: Form,
    pub(super) caller: Caller,
    /// How long the server keeps it.
    pub(super) lifetime: Option<Duration>,
    /// What the kernel keeps for it.
    pub(super) kept: Option<RawJson>,
}

impl NewTask {
    pub(super) fn kept_bytes(&self) -> usize {
        self.kept.as_ref().map_or(0, |kept| kept.as_bytes().len())
    }
}

/// How many questions of one task are brought to a host in its life.
const MOST_ASKED: usize = 1024;

impl Known {
    pub(super) fn new(id: String, until: Instant, task: NewTask) -> Self {
        let NewTask { principal, tool, server, own, form, at_server, mut caller, lifetime: _, kept } = task;
        let over = CancellationToken::new();
        caller.over = Some(over.clone());
        Self {
            id,
            principal,
            tool,
            server,
            own,
            form,
            at_server,
            caller,
            since: Instant::now(),
            until,
            seen: Mutex::new(Seen { ended: kept.is_some(), kept, ..Seen::default() }),
            changed: Notify::new(),
            over,
            carried: AtomicBool::new(false),
            telling: Mutex::default(),
            listened: AtomicUsize::new(0),
        }
    }

    /// Returns whether a principal may look at it: its caller, on behalf of nobody, or of those that it was made for.
    pub(super) fn is_for(&self, principal: &Principal) -> bool {
        self.principal == *principal || !principal.is_delegated() && self.principal.is_same_caller(principal)
    }

    /// Returns whether everybody it is looked at for, and everybody it was made for, may still use its tool: a right that was taken back
    /// ends what it began.
    pub(super) fn is_allowed(&self, access: &AccessControl, principal: &Principal) -> bool {
        access.authorize(principal, &self.tool).is_ok()
            && access.authorize(&self.principal, &self.tool).is_ok()
    }

    /// Whose it is.
    pub(in crate::kernel) fn principal(&self) -> &Principal {
        &self.principal
    }

    /// The tool that it runs: a right that was taken back ends what it began.
    pub(in crate::kernel) fn tool(&self) -> &ToolId {
        &self.tool
    }

    /// The host that made it.
    pub(in crate::kernel) fn caller(&self) -> &Caller {
        &self.caller
    }

    /// Whether its host and its server speak of it in two forms.
    pub(super) fn is_across(&self) -> bool {
        self.form != self.at_server
    }

    pub(super) fn is_known_at(&self, now: Instant) -> bool {
        self.until > now && self.server.strong_count() > 0
    }

    /// How long it is still known.
    pub(in crate::kernel) fn remaining(&self) -> Duration {
        self.until.saturating_duration_since(Instant::now())
    }

    pub(super) fn is_of(&self, server: &Arc<Server>) -> bool {
        std::ptr::eq(self.server.as_ptr(), Arc::as_ptr(server))
    }

    /// Whether a host wants to hear of it from its server. A core server tells unasked.
    pub(super) fn is_wanted(&self) -> bool {
        let heard = match self.form {
            Form::Core => !self.caller.peer.is_closed(),
            Form::Extension => self.is_listened(),
        };
        heard && self.at_server == Form::Extension && !self.lock().ended
    }

    /// What was seen of it last, in the words of revision 2025-11-25.
    pub(super) fn last_seen(&self) -> Option<core::Task> {
        self.lock().task.clone()
    }

    /// Notes what was seen of it. Returns whether that is its end.
    pub(super) fn sees(&self, task: &core::Task) -> bool {
        let mut seen = self.lock();
        seen.task = Some(task.clone());
        let news =
            task.status.is_terminal() && !std::mem::replace(&mut seen.ended, task.status.is_terminal());
        drop(seen);
        if news {
            self.over.cancel();
        }
        news
    }

    /// Notes that it has ended.
    pub(super) fn ends(&self) {
        self.lock().ended = true;
        self.over.cancel();
    }

    pub(super) fn has_ended(&self) -> bool {
        self.lock().ended
    }

    /// Notes that its host has cancelled it.
    pub(super) fn cancel(&self) {
        self.lock().cancelled = true;
    }

    pub(super) fn is_cancelled(&self) -> bool {
        self.lock().cancelled
    }

    /// The result that the kernel keeps.
    pub(super) fn kept(&self) -> Option<RawJson> {
        self.lock().kept.clone()
    }

    pub(super) fn kept_bytes(&self) -> usize {
        self.lock().kept.as_ref().map_or(0, |kept| kept.as_bytes().len())
    }

    /// Takes a question, to bring it to the host; nothing where another does, or did.
    pub(super) fn takes_question(&self, key: &str) -> Option<Taken<'_>> {
        let mut seen = self.lock();
        let taken = seen.asked.len() < MOST_ASKED && seen.asked.insert(key.to_owned());
        taken.then(|| Taken { known: self, key: Some(key.to_owned()) })
    }

    /// Whether a request of a stateless host listens for it.
    pub(super) fn is_listened(&self) -> bool {
        self.listened.load(Ordering::Relaxed) > 0
    }

    /// One more request that listens for it, for as long as what is returned lives.
    pub(super) fn listened(self: &Arc<Self>) -> Listened {
        self.listened.fetch_add(1, Ordering::Relaxed);
        self.ring();
        Listened(self.clone())
    }

    /// Has its server asked anew for what is wanted of it.
    pub(super) fn ring(&self) {
        if self.at_server == Form::Extension
            && let Some(server) = self.server.upgrade()
        {
            server.watched.ring();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Known {
    fn drop(&mut self) {
        self.over.cancel();
    }
}

impl fmt::Debug for Known {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Known").field("tool", &self.tool).field("form", &self.form).finish_non_exhaustive()
    }
}

/// A question on its way to the host. Dropping it gives it back, unless it was answered.
#[derive(Debug)]
pub(super) struct Taken<'a> {
    known: &'a Known,
    key: Option<String>,
}

impl Taken<'_> {
    /// It was answered.
    pub(super) fn answered(mut self) {
        self.key = None;
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        if let Some(key) = &self.key {
            self.known.lock().asked.remove(key);
        }
    }
}

/// A request that listens for a task. Dropping it ends that.
#[derive(Debug)]
pub(in crate::kernel) struct Listened(Arc<Known>);

impl Drop for Listened {
    fn drop(&mut self) {
        self.0.listened.fetch_sub(1, Ordering::Relaxed);
        self.0.ring();
    }
}
