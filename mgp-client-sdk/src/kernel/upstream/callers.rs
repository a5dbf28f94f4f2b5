//! Tracks the calls in flight to a server, so that a request from the server is routed to the host that made the call.

use super::shared::is_guest;
use crate::call_clock::{CallClock, PauseGuard};
use crate::kernel::host::parking::ParkedCall;
use mgp_transport::seam::{CallRecord, CancelCause, CancelToken, Incoming, Peer, RelatedRequest, Session};
use mgp_types::{
    context::{Principal, TraceId},
    mcp::ClientCapabilities,
    rpc::RequestId,
};
use parking_lot::{Mutex, MutexGuard};
use std::{collections::BTreeMap, sync::Arc};

/// The host on whose behalf a call is made.
#[derive(Debug, Clone)]
pub(crate) struct Caller {
    /// The host, bound to its request: messages to this peer go to the request's stream.
    pub(crate) peer: Peer,
    /// The id of the host's request; `None` for a host that is asked outside of a request.
    pub(crate) request_id: Option<RequestId>,
    /// The kernel's own id of the call to the server; `None` for a host that is asked outside of a request.
    pub(in crate::kernel) call: Option<i64>,
    pub(crate) principal: Option<Principal>,
    pub(crate) trace: Option<TraceId>,
    /// The record of the call; `None` for a host that is asked outside of a request.
    pub(in crate::kernel) record: Option<CallRecord>,
    /// The parked call through which a host of a stateless revision is asked.
    pub(crate) parked: Option<Arc<ParkedCall>>,
    /// The clock of the call's time limit, which stops while the host is asked.
    pub(crate) clock: CallClock,
    /// Cancelled when the call or the task has ended, after which nothing more is asked for it; `None` for a host that is
    /// asked outside of both.
    pub(in crate::kernel) over: Option<CancelToken>,
    /// The host's other calls to the server, if a message of the server may belong to any of them.
    pub(in crate::kernel) beside: Vec<Self>,
}

impl Caller {
    pub(crate) fn of(message: &Incoming) -> Option<Self> {
        let peer = message.peer()?.clone();
        let session = peer.session().clone();
        Some(Self {
            request_id: message.id.clone(),
            call: None,
            principal: message.principal().cloned(),
            trace: message.ext.get::<TraceId>().cloned(),
            record: CallRecord::of(message).cloned(),
            parked: session.get::<Arc<ParkedCall>>(),
            clock: CallClock::default(),
            over: None,
            beside: Vec::new(),
            peer,
        })
    }

    /// Returns the call, and the other calls that a message may belong to.
    fn calls(&self) -> impl Iterator<Item = &Self> {
        std::iter::once(self).chain(&self.beside)
    }

    /// Notes that the host has seen a part of the call, which rules out a retry.
    pub(super) fn note_seen(&self) {
        for record in self.calls().filter_map(|call| call.record.as_ref()) {
            record.update(|record| record.begun = true);
        }
    }

    /// Stops the clocks of the calls for which the host is asked, until the returned guards are dropped.
    pub(super) fn pause(&self) -> Vec<PauseGuard> {
        self.calls().map(|call| call.clock.pause()).collect()
    }

    /// Waits until every call for which the host is asked has ended, or its task has; forever for a host that is asked outside of
    /// both.
    pub(super) async fn over(&self) {
        for call in self.calls() {
            match &call.over {
                Some(over) => over.cancelled().await,
                None => std::future::pending().await,
            }
        }
    }

    /// Returns the host's capabilities. They are read on demand instead of being kept, because few calls need them and they are
    /// large.
    pub(crate) fn capabilities(&self) -> ClientCapabilities {
        self.peer.session().get().unwrap_or_default()
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
}

/// The calls in flight to a server, with their hosts.
#[derive(Debug, Default)]
pub(crate) struct Callers(Arc<Mutex<CallTable>>);

type CallTable = BTreeMap<i64, CallInFlight>;

/// A call in flight.
#[derive(Debug)]
struct CallInFlight {
    caller: Arc<Caller>,
    over: CancelToken,
}

impl CallInFlight {
    /// Returns the host, with the kernel's own id of the call.
    fn caller(&self, call: i64) -> Caller {
        Caller { call: Some(call), over: Some(self.over.clone()), ..Caller::clone(&self.caller) }
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

impl Callers {
    /// Registers a call until the returned guard is dropped.
    pub(super) fn enter(&self, call: i64, caller: Arc<Caller>) -> CallGuard {
        let over = CancelToken::new();
        self.0.lock().insert(call, CallInFlight { caller, over: over.clone() });
        CallGuard { callers: self.0.clone(), call, over }
    }

    /// Returns the hosts with calls in flight, except other kernels.
    pub(in crate::kernel) fn hosts(&self) -> Vec<Peer> {
        let calls = self.0.lock();
        calls.values().map(|call| call.caller.peer.unbound()).filter(|peer| !is_guest(peer)).collect()
    }

    /// Returns whether no call is in flight.
    pub(super) fn is_empty(&self) -> bool {
        self.0.lock().is_empty()
    }

    /// Returns the host that a message of the server is for.
    pub(super) fn of(&self, message: &Incoming) -> Result<Caller, NoCaller> {
        self.on_stream(stream_of(message))
    }

    /// Returns the host of the call whose stream carried a message. For a message outside of such streams, returns the only host with
    /// calls in flight. A message of an ended call is for no other host.
    pub(super) fn on_stream(&self, stream: Option<i64>) -> Result<Caller, NoCaller> {
        match stream {
            Some(call) => self.of_call(call).ok_or(NoCaller::Over),
            None => self.only().map(|(caller, _)| caller),
        }
    }

    /// Returns the host that a question of the server is for, like [`on_stream`](Self::on_stream), with all calls that the question may
    /// belong to.
    pub(super) fn asked(&self, stream: Option<i64>) -> Result<Caller, NoCaller> {
        if stream.is_some() {
            return self.on_stream(stream);
        }
        let (caller, calls) = self.only()?;
        let others = calls.iter().filter(|(call, _)| Some(**call) != caller.call);
        let beside = others.map(|(call, other)| other.caller(*call)).collect();
        Ok(Caller { beside, ..caller })
    }

    /// Returns the host of a call, by the kernel's own id of the call.
    pub(super) fn of_call(&self, call: i64) -> Option<Caller> {
        self.0.lock().get(&call).map(|in_flight| in_flight.caller(call))
    }

    /// Returns the only host with calls in flight, and these calls. The host is asked through its latest call, whose stream stays
    /// open longest.
    fn only(&self) -> Result<(Caller, MutexGuard<'_, CallTable>), NoCaller> {
        let calls = self.0.lock();
        let (call, latest) = calls.last_key_value().ok_or(NoCaller::None)?;
        let session = latest.caller.peer.session().id();
        if !calls.values().all(|call| call.caller.peer.session().id() == session) {
            return Err(NoCaller::Several);
        }
        let latest = latest.caller(*call);
        Ok((latest, calls))
    }
}

/// Returns the call whose stream carried a message.
pub(super) fn stream_of(message: &Incoming) -> Option<i64> {
    message.ext.get::<RelatedRequest>().map(|RelatedRequest(call)| *call)
}

/// A registered call in flight, until this value is dropped.
#[derive(Debug)]
pub(super) struct CallGuard {
    callers: Arc<Mutex<CallTable>>,
    call: i64,
    over: CancelToken,
}

impl Drop for CallGuard {
    fn drop(&mut self) {
        self.over.cancel(CancelCause::Disconnected);
        let mut callers = self.callers.lock();
        // A call over a later connection may have the same id.
        if callers.get(&self.call).is_some_and(|call| call.over.is_cancelled()) {
            callers.remove(&self.call);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mgp_transport::{
        connection::Connection,
        memory,
        seam::{BoxError, Reply},
    };

    fn connection() -> Connection {
        let answer = async |_: Incoming| Ok::<_, BoxError>(Reply::none());
        let (near, _) = memory::pair();
        Connection::builder(tower::service_fn(move |message| Box::pin(answer(message)))).over(near.0, near.1)
    }

    fn of_session(host: &Connection) -> Arc<Caller> {
        Arc::new(Caller::of_session(host.peer()))
    }

    #[tokio::test]
    async fn a_message_of_a_call_that_is_over_is_for_no_other_host() {
        let (callers, a, b) = (Callers::default(), connection(), connection());
        let _of_a = callers.enter(1, of_session(&a));
        let of_b = callers.enter(2, of_session(&b));
        assert_eq!(callers.on_stream(Some(2)).unwrap().peer.session().id(), b.peer().session().id());
        assert_eq!(callers.on_stream(None).unwrap_err(), NoCaller::Several);
        drop(of_b);
        assert_eq!(callers.on_stream(Some(2)).unwrap_err(), NoCaller::Over);
        assert_eq!(callers.on_stream(None).unwrap().peer.session().id(), a.peer().session().id());
    }

    #[tokio::test(start_paused = true)]
    async fn a_message_that_names_no_call_may_belong_to_every_call_of_the_host_that_is_in_flight() {
        let (callers, host) = (Callers::default(), connection());
        let caller = || {
            let of_session = Caller::of_session(host.peer());
            Arc::new(Caller { record: Some(CallRecord::new()), ..of_session })
        };
        let [first, second] = [caller(), caller()];
        let guards = [callers.enter(1, first.clone()), callers.enter(2, second.clone())];
        let asked = callers.asked(None).unwrap();
        asked.note_seen();
        let paused = asked.pause();
        for call in [&first, &second] {
            let mark = call.clock.mark();
            tokio::time::sleep(std::time::Duration::from_secs(100)).await;
            assert!(call.clock.since(&mark).is_zero());
            assert!(call.record.as_ref().unwrap().update(|record| record.begun));
        }
        drop(paused);
        let over = asked.over();
        tokio::pin!(over);
        for (guard, is_last) in guards.into_iter().rev().zip([false, true]) {
            drop(guard);
            let ended = tokio::time::timeout(std::time::Duration::from_secs(1), &mut over).await.is_ok();
            assert_eq!(ended, is_last);
        }
        // A message that names its call belongs to that one alone.
        let _guards = [callers.enter(1, caller()), callers.enter(2, caller())];
        assert!(callers.asked(Some(2)).unwrap().beside.is_empty());
    }

    #[tokio::test]
    async fn the_end_of_a_call_leaves_a_later_one_of_the_same_id() {
        let (callers, a, b) = (Callers::default(), connection(), connection());
        let earlier = callers.enter(1, of_session(&a));
        let _later = callers.enter(1, of_session(&b));
        drop(earlier);
        assert_eq!(callers.of_call(1).unwrap().peer.session().id(), b.peer().session().id());
    }
}
