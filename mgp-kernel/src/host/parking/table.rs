//! The table of parked calls.

use super::{
    ParkedCalls,
    call::ParkedCall,
    request::{Request, unknown_state},
};
use mgp_transport::seam::ReplicaName;
use mgp_types::{error::ErrorCode, rpc::ErrorObject};
use parking_lot::Mutex;
use std::{
    collections::HashMap,
    sync::{Arc, Weak},
    time::Duration,
};
use tokio::sync::oneshot;

/// The parked calls, by the states given to their hosts.
#[derive(Debug)]
pub(super) struct Table {
    calls: Mutex<HashMap<String, Entry>>,
    bounds: ParkedCalls,
    /// The time limit for a host from one round of questions to the next.
    lifetime: Duration,
}

#[derive(Debug)]
struct Entry {
    request: Request,
    call: Arc<ParkedCall>,
    /// Dropped when the host resumes the call, which ends the task that would cancel it.
    _watched: oneshot::Sender<()>,
}

impl Table {
    pub(super) fn new(bounds: ParkedCalls, lifetime: Duration) -> Self {
        Self { calls: Mutex::default(), bounds, lifetime }
    }

    /// Parks a call, and returns the state with which its host resumes it. With replicas, the state names the one that has the call. If the host does not do so in time, the call is
    /// cancelled.
    pub(super) fn park(
        self: &Arc<Self>,
        request: Request,
        call: Arc<ParkedCall>,
        replica: Option<&ReplicaName>,
    ) -> Result<String, ErrorObject> {
        let state = uuid::Uuid::new_v4().simple().to_string();
        let state = replica.map_or_else(|| state.clone(), |replica| replica.put_into(&state));
        let (watched, taken) = oneshot::channel();
        let watch = forget(Arc::downgrade(self), state.clone(), Arc::downgrade(&call), self.lifetime, taken);
        {
            let mut calls = self.calls.lock();
            let same = |entry: &&Entry| entry.request.principal() == request.principal();
            let of_one = calls.values().filter(same).count();
            if calls.len() >= self.bounds.most || of_one >= self.bounds.most_of_one {
                // The server has asked a question since the call was sent.
                return Err(ErrorCode::ResourceExhausted
                    .error_outcome_unknown("too many calls wait for answers of their hosts"));
            }
            calls.insert(state.clone(), Entry { request, call, _watched: watched });
        }
        tokio::spawn(watch);
        Ok(state)
    }

    /// Takes the call that a host resumes. Each state can be used once.
    pub(super) fn take(&self, state: &str, request: &Request) -> Result<Arc<ParkedCall>, ErrorObject> {
        let mut calls = self.calls.lock();
        if !calls.get(state).is_some_and(|entry| entry.request.is_same(request)) {
            return Err(unknown_state());
        }
        calls.remove(state).map(|entry| entry.call).ok_or_else(unknown_state)
    }

    /// Returns the number of parked calls.
    pub(super) fn count(&self) -> usize {
        self.calls.lock().len()
    }
}

/// Cancels a call that its host does not resume in time.
async fn forget(
    table: Weak<Table>,
    state: String,
    call: Weak<ParkedCall>,
    lifetime: Duration,
    taken: oneshot::Receiver<()>,
) {
    tokio::select! {
        () = tokio::time::sleep(lifetime) => {}
        () = closed(call) => {}
        _ = taken => return,
    }
    if let Some(table) = table.upgrade()
        && let Some(entry) = table.calls.lock().remove(&state)
    {
        tracing::debug!("a host did not resume its call in time, or the call was cancelled: forgotten");
        entry.call.cancel();
    }
}

/// Waits until a parked call is cancelled.
async fn closed(call: Weak<ParkedCall>) {
    match call.upgrade() {
        Some(call) => call.closed().await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mgp_transport::seam::Incoming;
    use mgp_types::{json::RawObject, rpc::RawParams};

    #[tokio::test]
    async fn a_state_names_the_replica_that_has_the_call() {
        let table = Arc::new(Table::new(ParkedCalls::default(), Duration::from_secs(60)));
        let incoming = Incoming::request(1, "tools/call", RawParams::none());
        let request = Request::of(&incoming, &RawObject::new());
        let replica = ReplicaName::new("0a");
        for replica in [None, Some(&replica)] {
            let call = ParkedCall::new(None, RawObject::new());
            let state = table.park(request.clone(), call, replica).unwrap();
            assert_eq!(ReplicaName::of_state(&state), replica.map(|_| "0a"), "{state}");
            assert!(table.take(&state, &request).is_ok());
        }
    }
}
