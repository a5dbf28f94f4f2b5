//! §11.4 Waits until the server was asked to stop and has finished its work, and restarts it.

use crate::{Notifier, task::Tasks};
use jiff::Timestamp;
use mgp_lifecycle::{
    gate::{DrainOutcome, Gate},
    shutdown::{ShutdownRequest, Stop},
};
use mgp_types::lifecycle::ServerState;
use std::{fmt, future::pending, time::Duration};
use tokio::sync::Mutex;

/// The time limit for notifying clients of a change of state.
const NOTICE_TIMEOUT: Duration = Duration::from_secs(1);

/// The progress of a stop: whether the server was asked to stop, and has finished its work. All connections of the server share one
/// `StopProgress`.
pub(super) struct StopProgress {
    phase: Mutex<Phase>,
    gate: Gate,
    notifier: Notifier,
    tasks: Option<Tasks>,
}

struct Phase {
    request: ShutdownRequest,
    /// The request that was accepted, while the server drains.
    accepted: Option<Stop>,
}

impl StopProgress {
    pub(super) fn new(
        gate: Gate,
        request: ShutdownRequest,
        notifier: Notifier,
        tasks: Option<Tasks>,
    ) -> Self {
        Self { phase: Mutex::new(Phase { request, accepted: None }), gate, notifier, tasks }
    }

    /// Waits until the server was asked to stop and its last call and its last task have ended, or the time limit has passed. Any
    /// number of callers may wait, and may stop waiting.
    pub(super) async fn drained(&self) -> DrainOutcome {
        let drained = self.calls_drained().await;
        if let Some(tasks) = &self.tasks {
            tasks.stop();
        }
        drained
    }

    async fn calls_drained(&self) -> DrainOutcome {
        // The caller that holds the lock waits for all. The others get the lock once nothing is left to wait for.
        let mut phase = self.phase.lock().await;
        if let Some(stop) = &phase.accepted {
            return stop.drain.finished().await;
        }
        let Some(stop) = phase.request.wait().await else { return pending().await };
        let stop = phase.accepted.insert(stop);
        let change = stop.drain.transition().notice(Timestamp::now());
        let told = async {
            let told = self.notifier.state_changed(&change);
            if tokio::time::timeout(NOTICE_TIMEOUT, told).await.is_err() {
                tracing::debug!("a client reads nothing, and was not notified that the server stops");
            }
            // Listening clients are notified that the server stops before their requests end.
            self.notifier.stop();
        };
        let ((), drained) = tokio::join!(told, stop.drain.finished());
        drained
    }

    /// Restarts a server after a stop, because a client in this process connects. Resolves once the previous stop has finished.
    pub(super) async fn reopen(&self) {
        if self.gate.machine().state() != ServerState::Draining {
            return;
        }
        let mut phase = self.phase.lock().await;
        if phase.accepted.is_none() {
            // The connection was gone before any waiter saw the request.
            phase.accepted = phase.request.try_next();
        }
        let Some(stop) = &phase.accepted else { return };
        stop.drain.finished().await;
        if let Some(tasks) = &self.tasks {
            tasks.stop();
            tasks.resume();
        }
        self.notifier.resume();
        for state in [ServerState::Disconnected, ServerState::Connecting, ServerState::Connected] {
            if let Err(error) = self.gate.machine().transition(state, "a client connected again") {
                tracing::error!(%error, "the server could not be restarted");
                return;
            }
        }
        phase.accepted = None;
    }
}

impl fmt::Debug for StopProgress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stopping").finish_non_exhaustive()
    }
}
