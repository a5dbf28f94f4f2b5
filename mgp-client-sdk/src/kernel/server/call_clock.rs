//! How long a server works on a call. While its host is asked, the clock stands still: a human who answers runs into no tool's
//! time limit.

use std::{sync::Arc, time::Duration};
use tokio::{sync::watch, time::Instant};

/// The clock of one call. A clone is the same.
#[derive(Debug, Clone)]
pub(crate) struct CallClock {
    /// How many questions are open.
    open: Arc<watch::Sender<usize>>,
}

impl Default for CallClock {
    fn default() -> Self {
        Self { open: Arc::new(watch::Sender::new(0)) }
    }
}

impl CallClock {
    /// Stands still until what is returned is dropped.
    pub(super) fn pause(&self) -> Paused {
        self.open.send_modify(|open| *open += 1);
        Paused(self.clone())
    }

    /// Does something that may take so long, what the clock stands still not counted; `None` where it takes longer.
    pub(super) async fn within<F: Future>(&self, limit: Duration, work: F) -> Option<F::Output> {
        let mut open = self.open.subscribe();
        let mut left = limit;
        let mut work = std::pin::pin!(work);
        loop {
            let (since, runs) = (Instant::now(), *open.borrow_and_update() == 0);
            tokio::select! {
                biased;
                done = &mut work => return Some(done),
                () = tokio::time::sleep(left), if runs => return None,
                // Its sender is this clock's own.
                _ = open.changed() => {}
            }
            if runs {
                left = left.saturating_sub(since.elapsed());
            }
        }
    }
}

/// The clock stands still.
#[derive(Debug)]
pub(super) struct Paused(CallClock);

impl Drop for Paused {
    fn drop(&mut self) {
        self.0.open.send_modify(|open| *open -= 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::pending;
    use tokio::time::sleep;

    const LIMIT: Duration = Duration::from_secs(10);

    #[tokio::test(start_paused = true)]
    async fn the_time_of_questions_does_not_count_and_all_else_does() {
        let clock = CallClock::default();
        let began = Instant::now();
        let work = async {
            sleep(Duration::from_secs(6)).await;
            let (one, other) = (clock.pause(), clock.pause());
            sleep(Duration::from_secs(100)).await;
            drop(one);
            sleep(Duration::from_secs(100)).await;
            drop(other);
            pending::<()>().await;
        };
        assert_eq!(clock.within(LIMIT, work).await, None);
        assert_eq!(began.elapsed().as_secs(), 210);
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_done_in_time_is_returned() {
        let clock = CallClock::default();
        assert_eq!(clock.within(LIMIT, async { sleep(LIMIT / 2).await }).await, Some(()));
        assert_eq!(clock.within(LIMIT, pending::<()>()).await, None);
    }
}
