//! The parts of the layer that its calls share.

use super::{IdempotencySettings, IdempotencyStore, running::RunningCalls};
use jiff::Timestamp;
use mgp_transport::seam::{Refusal, ToolCall};
use mgp_types::rpc::{ErrorObject, RawResult};
use std::{fmt, sync::Arc, time::Duration};
use tokio::{
    task::JoinSet,
    time::{MissedTickBehavior, interval},
};

/// The interval at which ended entries are removed.
const SWEEP: Duration = Duration::from_secs(60);

/// The parts that every call with a key needs.
#[derive(Clone)]
pub(super) struct Keys {
    pub(super) store: Arc<dyn IdempotencyStore>,
    pub(super) settings: IdempotencySettings,
    pub(super) running: RunningCalls,
    pub(super) judge: Option<Arc<JudgeAgain>>,
    pub(super) fit: Option<Arc<Fit>>,
    pub(super) now: fn() -> Timestamp,
    /// The task that removes ended entries, which ends with the last clone of this value.
    _sweeper: Arc<JoinSet<()>>,
}

/// A function that judges a call again.
type JudgeAgain = dyn Fn(&ToolCall) -> Result<(), Refusal> + Send + Sync;

/// A function that fits a result to the host of a call.
type Fit = dyn Fn(&ToolCall, RawResult) -> Result<RawResult, ErrorObject> + Send + Sync;

impl Keys {
    /// Creates the parts of a layer. Inside a tokio runtime, expired entries are removed once a minute until the last clone is dropped.
    pub(super) fn new(store: Arc<dyn IdempotencyStore>, settings: IdempotencySettings) -> Self {
        let mut sweeper = JoinSet::new();
        if tokio::runtime::Handle::try_current().is_ok() {
            sweeper.spawn(sweep(store.clone()));
        }
        Self {
            store,
            settings,
            running: RunningCalls::default(),
            judge: None,
            fit: None,
            now: Timestamp::now,
            _sweeper: Arc::new(sweeper),
        }
    }
}

/// Removes ended entries.
async fn sweep(store: Arc<dyn IdempotencyStore>) {
    let mut ticks = interval(SWEEP);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        if let Err(error) = store.sweep(Timestamp::now()).await {
            tracing::warn!(%error, "expired idempotency keys could not be removed");
        }
    }
}

impl fmt::Debug for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Keys")
            .field("store", &self.store)
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}
