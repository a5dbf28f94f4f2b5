//! A host that makes calls at a steady rate.

use crate::{measure::Caller, wire::HttpCaller};
use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};
use tokio::{
    task::JoinHandle,
    time::{Instant, MissedTickBehavior, interval},
};

/// The pause between two calls: 50 a second.
const PAUSE: Duration = Duration::from_millis(20);

/// Calls that are made until this value is dropped.
#[derive(Debug)]
pub(super) struct SteadyCalls {
    took: Arc<Mutex<Vec<Duration>>>,
    task: JoinHandle<Result<(), String>>,
}

impl SteadyCalls {
    pub(super) fn start(caller: HttpCaller) -> Self {
        let took = Arc::<Mutex<Vec<_>>>::default();
        let (noted, number) = (took.clone(), AtomicI64::new(0));
        let task = tokio::spawn(async move {
            let mut ticks = interval(PAUSE);
            ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
            loop {
                ticks.tick().await;
                let began = Instant::now();
                caller.call(number.fetch_add(1, Ordering::Relaxed)).await?;
                noted.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(began.elapsed());
            }
        });
        Self { took, task }
    }

    /// Returns the times of the calls since the last question.
    ///
    /// # Errors
    /// If a call failed.
    pub(super) async fn take(&mut self) -> Result<Vec<Duration>, String> {
        if self.task.is_finished() {
            (&mut self.task).await.map_err(|error| error.to_string())??;
        }
        Ok(std::mem::take(&mut *self.took.lock().unwrap_or_else(std::sync::PoisonError::into_inner)))
    }
}

impl Drop for SteadyCalls {
    fn drop(&mut self) {
        self.task.abort();
    }
}
