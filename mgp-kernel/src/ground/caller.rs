//! The host on whose behalf a call is made.

use super::round_host::RoundHost;
use mgp_client_sdk::call_clock::{CallClock, PauseGuard};
use mgp_transport::seam::{CallRecord, CancelToken, Incoming, Peer, Session};
use mgp_types::{
    context::{Principal, TraceId},
    mcp::ClientCapabilities,
    rpc::{ErrorObject, RawResult, RequestId},
};
use std::sync::Arc;

/// The host on whose behalf a call is made.
#[derive(Debug, Clone)]
pub(crate) struct Caller {
    /// The host, bound to its request: messages to this peer go to the request's stream.
    pub(crate) peer: Peer,
    /// The id of the host's request; `None` for a host that is asked outside of a request.
    pub(crate) request_id: Option<RequestId>,
    /// The kernel's own id of the call to the server; `None` for a host that is asked outside of a request.
    pub(crate) call: Option<i64>,
    pub(crate) principal: Option<Principal>,
    pub(crate) trace: Option<TraceId>,
    /// The record of the call; `None` for a host that is asked outside of a request.
    pub(crate) record: Option<CallRecord>,
    /// The call through which a host is asked in rounds of input; `None` for a host that is sent requests.
    pub(crate) parked: Option<Arc<dyn RoundHost>>,
    /// The clock of the call's time limit, which stops while the host is asked.
    pub(crate) clock: CallClock,
    /// Cancelled when the call or the task has ended, after which nothing more is asked for it; `None` for a host that is
    /// asked outside of both.
    pub(crate) over: Option<CancelToken>,
    /// The host's other calls to the server, if a message of the server may belong to any of them.
    pub(crate) beside: Vec<Self>,
}

impl Caller {
    /// Returns the host of a request; `None` if the request has no sender.
    pub(crate) fn of(message: &Incoming) -> Option<Self> {
        let peer = message.peer()?;
        Some(Self {
            request_id: message.id.clone(),
            call: None,
            principal: message.principal().cloned(),
            trace: message.trace().cloned(),
            record: CallRecord::of(message).cloned(),
            parked: peer.session().get::<Arc<dyn RoundHost>>(),
            clock: CallClock::default(),
            over: None,
            beside: Vec::new(),
            peer: peer.clone(),
        })
    }

    /// Returns a host that is asked outside of any call.
    pub(crate) fn of_session(peer: &Peer) -> Self {
        let session: &Session = peer.session();
        Self {
            request_id: None,
            call: None,
            principal: session.get::<Principal>(),
            trace: None,
            record: None,
            parked: None,
            clock: CallClock::default(),
            over: None,
            beside: Vec::new(),
            peer: peer.clone(),
        }
    }

    /// Returns the call, and the other calls that a message may belong to.
    fn calls(&self) -> impl Iterator<Item = &Self> {
        std::iter::once(self).chain(&self.beside)
    }

    /// Notes that the host has seen a part of the call, which rules out a retry.
    pub(crate) fn note_seen(&self) {
        for record in self.calls().filter_map(|call| call.record.as_ref()) {
            record.update(|record| record.begun = true);
        }
    }

    /// Stops the clocks of the calls for which the host is asked, until the returned guards are dropped.
    pub(crate) fn pause(&self) -> Vec<PauseGuard> {
        self.calls().map(|call| call.clock.pause()).collect()
    }

    /// Waits until every call for which the host is asked has ended, or its task has; forever for a host that is asked outside of
    /// both.
    pub(crate) async fn over(&self) {
        for call in self.calls() {
            match &call.over {
                Some(over) => over.cancelled().await,
                None => std::future::pending().await,
            }
        }
    }

    /// Waits for the host's answer, until the server withdraws its question, or the question's call or task has ended.
    ///
    /// # Errors
    /// The error for the server: that of `asked`, or the reason why nobody answers any more.
    pub(crate) async fn answered(
        &self,
        asked: impl Future<Output = Result<RawResult, ErrorObject>>,
        cancel: &CancelToken,
    ) -> Result<RawResult, ErrorObject> {
        tokio::select! {
            answer = asked => answer,
            () = self.over() => {
                Err(ErrorObject::invalid_request("the call of this question has ended"))
            }
            // The server has withdrawn its question, and gets no answer.
            () = cancel.cancelled() => Err(ErrorObject::invalid_request("the question was taken back")),
        }
    }

    /// Returns the host's capabilities. They are read on demand instead of being kept, because few calls need them and they are
    /// large.
    pub(crate) fn capabilities(&self) -> ClientCapabilities {
        self.peer.session().get().unwrap_or_default()
    }
}

/// The reason why no host can be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NoCaller {
    #[error("no call is in flight, so there is no host to ask")]
    None,
    #[error("the call whose stream carried the question has ended")]
    Over,
    #[error("calls of several hosts are in flight, and the question does not name its call")]
    Several,
}
