//! The connection with a server.

use crate::{ground::kernel_id::SERVER_ID, upstream::PermissionNews};
use mgp_client_sdk::session::{Greeting, ServerSession};
#[cfg(feature = "child")]
use mgp_transport::child::StderrTail;
use mgp_transport::seam::{CallError, ControlPeer};
#[cfg(feature = "child")]
use mgp_types::printable::on_one_line;
use mgp_types::{json::RawObject, mcp::tasks::TaskForm, proposals};
use parking_lot::{Mutex, MutexGuard};
#[cfg(feature = "child")]
use std::time::Duration;
use std::{
    ops::Deref,
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
};

/// The time limit for reading the last line of an ended process.
#[cfg(feature = "child")]
const STDERR_TO_COME: Duration = Duration::from_millis(500);

/// The maximum length of a stderr line in an error, in characters.
#[cfg(feature = "child")]
const MAX_STDERR_LINE: usize = 200;

/// A connection with a server after its handshake.
pub(crate) struct Link {
    /// The session, whose peer runs the server's tools. Only the exchange uses it for tools.
    pub(crate) session: ServerSession,
    news: Mutex<PermissionNews>,
    /// True once the server has shown that it uses the extension proposals' form of a call.
    has_proposals: AtomicBool,
    /// The number of hosts' requests that timed out without an answer.
    unanswered: AtomicU64,
    /// The last lines of the stderr of the server's process.
    #[cfg(feature = "child")]
    stderr: Option<StderrTail>,
}

impl Deref for Link {
    type Target = Greeting;

    fn deref(&self) -> &Greeting {
        &self.session.greeting
    }
}

impl Link {
    pub(super) fn new(session: ServerSession) -> Self {
        let has_proposals = AtomicBool::new(proposals::is_handshake(&session.greeting.capabilities.0));
        Self {
            session,
            news: Mutex::default(),
            has_proposals,
            unanswered: AtomicU64::new(0),
            #[cfg(feature = "child")]
            stderr: None,
        }
    }

    /// Sets the stderr of the server's process.
    #[cfg(feature = "child")]
    pub(super) fn with_stderr(mut self, stderr: Option<StderrTail>) -> Self {
        self.stderr = stderr;
        self
    }

    /// Returns the last stderr line of the server's process, in the form used in errors; `None` if there is none. Waits a moment for the
    /// end of stderr, because a process that has just ended may have written more.
    #[cfg(feature = "child")]
    pub(crate) async fn last_stderr_line(&self) -> Option<String> {
        let lines = self.stderr.as_ref()?.at_end(STDERR_TO_COME).await;
        let mut line = lines.iter().rev().map(|line| on_one_line(line)).find(|line| !line.is_empty())?;
        if let Some((end, _)) = line.char_indices().nth(MAX_STDERR_LINE) {
            line.truncate(end);
            line.push('…');
        }
        Some(line)
    }

    /// Returns whether the server is another kernel, which treats all hosts of this one as a single host.
    pub(crate) fn is_kernel(&self) -> bool {
        self.negotiated.as_ref().is_some_and(|agreed| agreed.server_id.as_deref() == Some(SERVER_ID))
    }

    /// Returns whether the server also gets calls in the extension proposals' form: a plain server that has shown that it uses this
    /// form.
    pub(crate) fn has_proposals(&self) -> bool {
        self.negotiated.is_none() && self.has_proposals.load(Ordering::Relaxed)
    }

    /// Notes that the server has shown that it uses the extension proposals' form of a call.
    pub(crate) fn note_proposals(&self) {
        self.has_proposals.store(true, Ordering::Relaxed);
    }

    /// Counts a host's request that timed out without an answer.
    pub(crate) fn note_unanswered(&self) {
        self.unanswered.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns the number of hosts' requests that timed out without an answer.
    pub(super) fn unanswered_count(&self) -> u64 {
        self.unanswered.load(Ordering::Relaxed)
    }

    /// Returns the peer for everything except the server's tools.
    pub(crate) fn control(&self) -> ControlPeer {
        ControlPeer::new(self.session.peer.clone())
    }

    /// Notifies the server that the roots of hosts have changed.
    pub(crate) async fn roots_changed(&self) -> Result<(), CallError> {
        self.session.roots_changed().await
    }

    /// Returns the form in which the server runs tools as tasks, if it does.
    pub(crate) fn tasks(&self) -> Option<TaskForm> {
        TaskForm::of_server(self.version, &self.capabilities).ok()
    }

    /// Returns the `_meta` of requests about tasks, which declares to a server of a stateless revision that the kernel accepts
    /// tasks; `None` for other servers.
    pub(crate) fn task_meta(&self) -> Option<RawObject> {
        let mut params = RawObject::new();
        self.session.declare_tasks(&mut params);
        params.object("_meta")
    }

    /// Forgets the announced permissions, because the server's session is new.
    pub(super) fn forget_told(&self) {
        *self.news.lock() = PermissionNews::default();
    }

    /// Returns the permissions that were announced to the server.
    pub(crate) fn news(&self) -> MutexGuard<'_, PermissionNews> {
        self.news.lock()
    }
}
