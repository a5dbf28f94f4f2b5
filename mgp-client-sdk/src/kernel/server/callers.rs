//! The hosts whose calls a server is working on: whom what it asks meanwhile is asked.

use crate::call_clock::CallClock;
use crate::kernel::host::parking::Parked;
use mgp_transport::seam::{Incoming, Peer, RelatedRequest, Session};
use mgp_types::{
    context::{Principal, TraceId},
    mcp::ClientCapabilities,
};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use tokio_util::sync::{CancellationToken, DropGuard};

/// The host that a call is made for.
#[derive(Debug, Clone)]
pub(crate) struct Caller {
    /// Bound to the host's request: what is sent goes to its stream.
    pub(crate) peer: Peer,
    pub(crate) principal: Option<Principal>,
    pub(crate) trace: Option<TraceId>,
    /// How a host of a stateless revision is asked.
    pub(crate) parked: Option<Arc<Parked>>,
    /// Stands still while the host is asked.
    pub(crate) clock: CallClock,
    /// The call or the task is over: nothing more is asked for it. None of a host that is asked outside of both.
    pub(in crate::kernel) over: Option<CancellationToken>,
}

impl Caller {
    pub(crate) fn of(message: &Incoming) -> Option<Self> {
        let peer = message.peer()?.clone();
        let session = peer.session().clone();
        Some(Self {
            principal: message.ext.get::<Principal>().cloned(),
            trace: message.ext.get::<TraceId>().cloned(),
            parked: session.get::<Arc<Parked>>(),
            clock: CallClock::default(),
            over: None,
            peer,
        })
    }

    /// Ends when nothing more is asked.
    pub(super) async fn over(&self) {
        match &self.over {
            Some(over) => over.cancelled().await,
            None => std::future::pending().await,
        }
    }

    /// What the host can be asked. Read where it is needed: few calls do, and it is much to take along.
    pub(crate) fn capabilities(&self) -> ClientCapabilities {
        self.peer.session().get().unwrap_or_default()
    }

    /// A host that is asked outside of any call.
    pub(crate) fn of_session(peer: &Peer) -> Self {
        let session: &Session = peer.session();
        Self {
            principal: session.get::<Principal>(),
            trace: None,
            parked: None,
            clock: CallClock::default(),
            over: None,
            peer: peer.clone(),
        }
    }
}

/// The hosts whose calls a server is working on.
#[derive(Debug, Default)]
pub(crate) struct Callers(Arc<Mutex<HashMap<i64, Caller>>>);

/// Why nobody can be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NoCaller {
    #[error("no call is under way, so there is no host to ask")]
    None,
    #[error("calls of several hosts are under way, and the question says not for which it is asked")]
    Several,
}

impl Callers {
    /// Notes a call for as long as what is returned lives.
    pub(super) fn enter(&self, call: i64, mut caller: Caller) -> Entered {
        let over = CancellationToken::new();
        caller.over = Some(over.clone());
        lock(&self.0).insert(call, caller);
        Entered { callers: self.0.clone(), call, _over: over.drop_guard() }
    }

    /// Whether no call is under way.
    pub(super) fn is_empty(&self) -> bool {
        lock(&self.0).is_empty()
    }

    /// The host that a message of the server is for: that of the call on whose stream it came, else the one whose calls are under
    /// way.
    pub(super) fn of(&self, message: &Incoming) -> Result<Caller, NoCaller> {
        self.on_stream_of(message).map_or_else(|| self.only(), Ok)
    }

    /// The host of the call on whose stream a message came.
    pub(super) fn on_stream_of(&self, message: &Incoming) -> Option<Caller> {
        let RelatedRequest(call) = message.ext.get::<RelatedRequest>()?;
        lock(&self.0).get(call).cloned()
    }

    /// The one host whose calls are under way.
    pub(super) fn only(&self) -> Result<Caller, NoCaller> {
        let calls = lock(&self.0);
        // The latest call: its stream is open longest.
        let latest =
            calls.iter().max_by_key(|(call, _)| **call).map(|(_, caller)| caller).ok_or(NoCaller::None)?;
        let same = |caller: &Caller| caller.peer.session().id() == latest.peer.session().id();
        if calls.values().all(same) { Ok(latest.clone()) } else { Err(NoCaller::Several) }
    }
}

/// A call that is under way.
#[derive(Debug)]
pub(super) struct Entered {
    callers: Arc<Mutex<HashMap<i64, Caller>>>,
    call: i64,
    _over: DropGuard,
}

impl Drop for Entered {
    fn drop(&mut self) {
        lock(&self.callers).remove(&self.call);
    }
}

fn lock(calls: &Mutex<HashMap<i64, Caller>>) -> MutexGuard<'_, HashMap<i64, Caller>> {
    calls.lock().unwrap_or_else(PoisonError::into_inner)
}
