//! The connection with a server.

use crate::ground::kernel_id::SERVER_ID;
use mgp_client_sdk::session::{Greeting, ServerSession};
#[cfg(feature = "child")]
use mgp_transport::child::StderrTail;
use mgp_transport::seam::{CallError, ControlPeer};
#[cfg(feature = "child")]
use mgp_types::printable::on_one_line;
use mgp_types::{
    context::TrustLevel,
    json::RawObject,
    mcp::{LoggingLevel, SetLevel, tasks::TaskForm},
    permission::{GrantScope, GrantValue},
    proposals,
};
use parking_lot::{Mutex, MutexGuard};
use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Deref,
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    time::Duration,
};

/// The time limit for reading the last line of an ended process.
#[cfg(feature = "child")]
const STDERR_TO_COME: Duration = Duration::from_millis(500);

/// The maximum length of a stderr line in an error, in characters.
#[cfg(feature = "child")]
const MAX_STDERR_LINE: usize = 200;

/// The time limit for a server to accept its log level. If it passes, the host's own request still succeeds.
const LOG_LEVEL_TIMEOUT: Duration = Duration::from_secs(5);

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

    /// Makes the server send log messages from `level` on, if it does not do so yet. Servers without a log, or that get the level with each
    /// request, are left out.
    ///
    /// A server of the `initialize` era has one level for all hosts, which is the lowest of any host. Each host gets only the messages of
    /// its own level.
    pub(crate) async fn log_from(&self, server_id: &str, level: LoggingLevel) {
        let Some(params) = self.session.lower_log_level(level) else { return };
        let control = self.control();
        match tokio::time::timeout(LOG_LEVEL_TIMEOUT, control.request::<SetLevel>(&params)).await {
            Ok(Ok(_)) => {}
            Ok(Err(error)) => {
                tracing::debug!(server = server_id, %error, "the server did not accept its log level");
            }
            Err(_) => {
                tracing::debug!(
                    server = server_id,
                    "the server did not answer the request for its log level"
                );
            }
        }
    }

    /// Returns the trust in the server over this connection. The server's own claim can only lower it.
    pub(crate) fn trust_within(&self, trust: TrustLevel) -> TrustLevel {
        let claimed = self.negotiated.as_ref().and_then(|negotiated| negotiated.claimed_trust);
        claimed.map_or(trust, |claimed| claimed.min(trust))
    }

    /// Returns the permissions that were announced to the server.
    pub(crate) fn news(&self) -> MutexGuard<'_, PermissionNews> {
        self.news.lock()
    }
}

/// Returns whether a server with this greeting decides which calls become tasks.
pub(crate) fn decides_on_tasks(said: &Greeting) -> bool {
    TaskForm::of_server(said.version, &said.capabilities).is_ok_and(|form| !form.is_by_client())
}

/// The requests and grants of permissions that were announced to a server.
#[derive(Debug, Default)]
pub(crate) struct PermissionNews {
    /// The undecided permissions in the request to the server.
    pub(crate) requested: BTreeSet<String>,
    /// The id of the request, until all permissions are decided.
    pub(crate) request_id: Option<String>,
    /// The announced grants.
    pub(crate) told: BTreeMap<String, Grant>,
}

/// The decision on one permission, as announced to a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Grant {
    pub(crate) value: GrantValue,
    pub(crate) approved_by: Option<String>,
    pub(crate) expires_at: Option<String>,
    pub(crate) scope: Option<GrantScope>,
}
