//! §11.4 Waits until the server was asked to stop and has done what it had to do.

use crate::Notifier;
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
}

enum Phase {
    Serving(ShutdownRequest),
    Draining(Stop),
}

impl Stopping {
    pub(super) fn new(request: ShutdownRequest, notifier: Notifier) -> Self {
        Self { phase: Mutex::new(Phase::Serving(request)), notifier }
    }

    /// Ends when the server was asked to stop and its last call ended, or met the time limit. Anybody may wait, and stop
    /// waiting.
    pub(super) async fn drained(&self) -> Drained {
        // Whoever has the lock waits for all. The others get it once there is nothing left to wait for.
        let mut phase = self.phase.lock().await;
        if let Phase::Serving(request) = &mut *phase {
            match request.wait().await {
                Some(stop) => *phase = Phase::Draining(stop),
                None => pending().await,
            }
            if let Phase::Draining(stop) = &*phase {
                let change = stop.drain.transition().notice(Timestamp::now());
                let told = self.notifier.state_changed(&change);
                let told = tokio::time::timeout(NOTICE_TIME_LIMIT, told);
                let (told, drained) = tokio::join!(told, stop.drain.finished());
                if told.is_err() {
                    tracing::debug!("a client takes nothing, and was not told that the server stops");
                }
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
