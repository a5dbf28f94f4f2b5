//! §11.2 The broadcast of changes of servers' states.

use jiff::Timestamp;
use mgp_lifecycle::state::Transition;
use mgp_types::lifecycle::LifecycleParams;
use std::sync::Arc;
use tokio::sync::broadcast::{self, error::RecvError};

/// The maximum number of changes that a receiver may lag behind.
const KEPT: usize = 1024;

/// The broadcast of changes of servers' states.
#[derive(Debug)]
pub(crate) struct States(broadcast::Sender<Arc<LifecycleParams>>);

impl Default for States {
    fn default() -> Self {
        Self(broadcast::Sender::new(KEPT))
    }
}

impl States {
    /// Sends a change to all receivers.
    pub(crate) fn tell(&self, moved: &Transition) {
        // There may be no receivers.
        let _ = self.0.send(Arc::new(moved.notice(Timestamp::now())));
    }

    /// Returns a receiver of the changes from now on.
    pub(crate) fn watch(&self) -> StateChanges {
        StateChanges(self.0.subscribe())
    }
}

/// A receiver of the changes of servers' states.
#[derive(Debug)]
pub struct StateChanges(broadcast::Receiver<Arc<LifecycleParams>>);

/// An item that [`StateChanges`] receives.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum StateChange {
    /// A server has changed its state.
    Moved(Arc<LifecycleParams>),
    /// This number of changes was missed, because they were not read in time.
    Missed(u64),
}

impl StateChanges {
    /// Waits for the next change; `None` once the kernel is gone.
    pub async fn next(&mut self) -> Option<StateChange> {
        match self.0.recv().await {
            Ok(moved) => Some(StateChange::Moved(moved)),
            Err(RecvError::Lagged(count)) => Some(StateChange::Missed(count)),
            Err(RecvError::Closed) => None,
        }
    }
}
