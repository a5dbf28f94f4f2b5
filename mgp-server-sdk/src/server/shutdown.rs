//! §11.4 Waits until the server was asked to stop and has done what it had to do.

use crate::{Notifier, task::Tasks};
use jiff::Timestamp;
use mgp_lifecycle::{
    gate::Drained,
    shutdown::{ShutdownRequest, Stop},
};
use std::{fmt, future::pending, time::Duration};
use tokio::sync::Mutex;

/// How long telling clients of the change of state may take.
const NOTICE_TIME_LIMIT: Duration = Duration::from_secs(1);

/// Waits until the server was asked to stop and has done what it had to do. All its connections share one.
pub(super) struct Stopping {
    phase: Mutex<Phase>,
    notifier: Notifier,
    tasks: Option<Tasks>,
}

enum Phase {
    Serving(ShutdownRequest),
    Draining(Stop),
}

impl Stopping {
    pub(super) fn new(request: ShutdownRequest, notifier: Notifier, tasks: Option<Tasks>) -> Self {
        Self { phase: Mutex::new(Phase::Serving(request)), notifier, tasks }
    }

    /// Ends when the server was asked to stop and its last call ended, its last task among them, or met the time limit. Anybody
    /// may wait, and stop waiting.
    pub(super) async fn drained(&self) -> Drained {
        let drained = self.calls_drained().await;
        if let Some(tasks) = &self.tasks {
            tasks.stop();
        }
        drained
    }

    async fn calls_drained(&self) -> Drained {
        // Whoever has the lock waits for all. The others get it once there is nothing left to wait for.
        let mut phase = self.phase.lock().await;
        if let Phase::Serving(request) = &mut *phase {
            match request.wait().await {
                Some(stop) => *phase = Phase::Draining(stop),
                None => pending().await,
            }
            if let Phase::Draining(stop) = &*phase {
                let change = stop.drain.transition().notice(Timestamp::now());
                let told = async {
                    let told = self.notifier.state_changed(&change);
                    if tokio::time::timeout(NOTICE_TIME_LIMIT, told).await.is_err() {
                        tracing::debug!("a client takes nothing, and was not told that the server stops");
                    }
                    // Whoever listens hears that the server stops before its request ends.
                    self.notifier.stop();
                };
                let ((), drained) = tokio::join!(told, stop.drain.finished());
                return drained;
            }
        }
        match &*phase {
            Phase::Draining(stop) => stop.drain.finished().await,
            Phase::Serving(_) => pending().await,
        }
    }
}

impl fmt::Debug for Stopping {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stopping").finish_non_exhaustive()
    }
}
