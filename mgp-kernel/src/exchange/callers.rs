//! Tracks the calls in flight to a server, so that a request from the server is routed to the host that made the call.

use crate::ground::caller::{Caller, NoCaller};
use mgp_transport::seam::{CancelCause, CancelToken, Incoming, Peer};
use parking_lot::{Mutex, MutexGuard};
use std::{
    collections::BTreeMap,
    sync::{Arc, OnceLock},
};

/// The calls in flight to a server, with their hosts.
#[derive(Debug, Default)]
pub(super) struct Callers(Arc<Mutex<CallTable>>);

type CallTable = BTreeMap<i64, Arc<CallInFlight>>;

/// A call in flight.
#[derive(Debug)]
struct CallInFlight {
    caller: Arc<Caller>,
    /// Cancelled when the call has ended. Created by the first message of the server that may belong to the call, because most calls have none.
    over: OnceLock<CancelToken>,
}

impl CallInFlight {
    /// Returns the host, with the kernel's own id of the call.
    fn caller(&self, call: i64) -> Caller {
        let over = self.over.get_or_init(CancelToken::new).clone();
        Caller { call: Some(call), over: Some(over), ..Caller::clone(&self.caller) }
    }
}

impl Callers {
    /// Registers a call until the returned guard is dropped.
    pub(super) fn enter(&self, call: i64, caller: Arc<Caller>) -> CallGuard {
        let in_flight = Arc::new(CallInFlight { caller, over: OnceLock::new() });
        self.0.lock().insert(call, in_flight.clone());
        CallGuard { callers: self.0.clone(), call, in_flight }
    }

    /// Returns the hosts with calls in flight.
    pub(super) fn hosts(&self) -> Vec<Peer> {
        let calls = self.0.lock();
        calls.values().map(|call| call.caller.peer.unbound()).collect()
    }

    /// Returns whether no call is in flight.
    pub(super) fn is_empty(&self) -> bool {
        self.0.lock().is_empty()
    }

    /// Returns the host that a message of the server is for.
    pub(super) fn of(&self, message: &Incoming) -> Result<Caller, NoCaller> {
        self.on_stream(message.related_request())
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

/// A registered call in flight, until this value is dropped.
#[derive(Debug)]
pub(super) struct CallGuard {
    callers: Arc<Mutex<CallTable>>,
    call: i64,
    in_flight: Arc<CallInFlight>,
}

impl Drop for CallGuard {
    fn drop(&mut self) {
        let mut callers = self.callers.lock();
        // A call over a later connection may have the same id.
        if callers.get(&self.call).is_some_and(|call| Arc::ptr_eq(call, &self.in_flight)) {
            callers.remove(&self.call);
        }
        drop(callers);
        // From here on, no message finds the call.
        if let Some(over) = self.in_flight.over.get() {
            over.cancel(CancelCause::Disconnected);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mgp_transport::{
        connection::Connection,
        memory,
        seam::{BoxError, CallRecord, Reply},
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
    async fn a_message_of_an_ended_call_reaches_no_other_host() {
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
    async fn a_message_without_a_call_may_belong_to_every_call_in_flight() {
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
    async fn the_end_of_a_call_keeps_a_later_call_with_the_same_id() {
        let (callers, a, b) = (Callers::default(), connection(), connection());
        let earlier = callers.enter(1, of_session(&a));
        let _later = callers.enter(1, of_session(&b));
        drop(earlier);
        assert_eq!(callers.of_call(1).unwrap().peer.session().id(), b.peer().session().id());
    }
}
