//! A clock of the time that a server works on a call. It is paused while a host or a user is asked, so that a person's slow
//! answer does not exceed the time limit of a tool.

use parking_lot::Mutex;
use std::{pin::pin, sync::Arc, time::Duration};
use tokio::time::{Instant, sleep, sleep_until};

/// The interval at which a clock is read again if it is paused shortly before its end.
const LOOK: Duration = Duration::from_millis(50);

/// The clock of one call. Clones share the same clock.
#[derive(Debug, Clone, Default)]
pub struct CallClock {
    // A pause wakes no task: most calls have none, and `within` reads the pauses when the time of a call is up.
    pauses: Arc<Mutex<Pauses>>,
}

#[derive(Debug, Default)]
struct Pauses {
    /// The number of open questions.
    open: usize,
    /// The time since which there are open questions.
    since: Option<Instant>,
    /// The total time of earlier questions.
    took: Duration,
    /// The number of questions so far.
    count: u64,
    /// The last sign that the server is working on the call.
    restarted: Option<Mark>,
}

/// The time limits of a call.
#[derive(Debug, Clone, Copy)]
pub struct CallLimits {
    /// The limit without a sign that the server is working on the call.
    pub first: Duration,
    /// The limit after each such sign.
    pub again: Duration,
    /// The total limit of a call with such signs; later signs are ignored.
    pub most: Duration,
}

impl CallClock {
    /// Stops the clock until the returned guard is dropped.
    pub fn pause(&self) -> PauseGuard {
        let mut pauses = self.pauses.lock();
        pauses.open += 1;
        pauses.count += 1;
        pauses.since.get_or_insert_with(Instant::now);
        drop(pauses);
        PauseGuard(self.clone())
    }

    /// Notes a sign that the server is working on the call, which restarts its time limit.
    pub fn restart(&self) {
        let mark = self.mark();
        self.pauses.lock().restarted = Some(mark);
    }

    /// Returns the last sign since a moment that the server is working on the call.
    pub fn restarted_since(&self, mark: &Mark) -> Option<Mark> {
        self.pauses.lock().restarted.filter(|restarted| restarted.at > mark.at)
    }

    /// Runs `work` with a time limit that excludes pauses. Returns `None` if `work` takes longer.
    pub async fn within<F: Future>(&self, limit: Duration, work: F) -> Option<F::Output> {
        let limits = CallLimits { first: limit, again: Duration::ZERO, most: Duration::ZERO };
        self.within_limits(&self.mark(), limits, work).await
    }

    /// Runs `work`, which begins at a moment, with time limits that exclude pauses. Returns `None` if `work` takes longer.
    pub async fn within_limits<F: Future>(
        &self,
        began: &Mark,
        limits: CallLimits,
        work: F,
    ) -> Option<F::Output> {
        let mut work = pin!(work);
        let first = began.at.checked_add(limits.first).map_or_else(|| sleep(limits.first), sleep_until);
        let mut limit = pin!(first);
        loop {
            tokio::select! {
                biased;
                done = &mut work => return Some(done),
                () = &mut limit => {}
            }
            let (_, stands_still) = self.pauses.lock().until_now();
            let mut left = self.left(began, limits);
            if left.is_zero() && !stands_still {
                return None;
            }
            if stands_still {
                left = left.max(LOOK);
            }
            limit.set(sleep(left));
        }
    }

    /// Returns the remaining time of a call that began at a moment.
    fn left(&self, began: &Mark, CallLimits { first, again, most }: CallLimits) -> Duration {
        let took = self.since(began);
        let more = self.restarted_since(began).map_or(Duration::ZERO, |restarted| {
            again.saturating_sub(self.since(&restarted)).min(most.saturating_sub(took))
        });
        first.saturating_sub(took).max(more)
    }

    /// Returns the current moment, as a start for [`since`](Self::since).
    pub fn mark(&self) -> Mark {
        let pauses = self.pauses.lock();
        Mark { at: Instant::now(), stood_still: pauses.until_now().0, count: pauses.count }
    }

    /// Returns whether the clock was paused since a moment, because somebody was asked.
    pub fn stood_still_since(&self, mark: &Mark) -> bool {
        self.pauses.lock().count != mark.count
    }

    /// Returns the time since a moment, without pauses.
    pub fn since(&self, mark: &Mark) -> Duration {
        let stood_still = self.pauses.lock().until_now().0.saturating_sub(mark.stood_still);
        mark.at.elapsed().saturating_sub(stood_still)
    }
}

impl Pauses {
    /// Returns the total time of pauses, and whether the clock is paused now.
    fn until_now(&self) -> (Duration, bool) {
        let open = self.since.map_or(Duration::ZERO, |since| since.elapsed());
        (self.took + open, self.since.is_some())
    }
}

/// A moment on a clock.
#[derive(Debug, Clone, Copy)]
pub struct Mark {
    at: Instant,
    /// The total time of pauses by then.
    stood_still: Duration,
    /// The number of questions by then.
    count: u64,
}

/// A guard that pauses the clock until it is dropped.
#[derive(Debug)]
pub struct PauseGuard(CallClock);

impl Drop for PauseGuard {
    fn drop(&mut self) {
        let mut pauses = self.0.pauses.lock();
        pauses.open -= 1;
        if pauses.open == 0 {
            let since = pauses.since.take();
            pauses.took += since.map_or(Duration::ZERO, |since| since.elapsed());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::pending;

    const LIMIT: Duration = Duration::from_secs(10);

    #[tokio::test(start_paused = true)]
    async fn only_the_time_of_questions_does_not_count() {
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
    async fn a_question_just_before_the_end_stops_the_clock_too() {
        let clock = CallClock::default();
        let began = Instant::now();
        let work = async {
            sleep(LIMIT - Duration::from_millis(1)).await;
            let asked = clock.pause();
            sleep(Duration::from_secs(100)).await;
            drop(asked);
            pending::<()>().await;
        };
        assert_eq!(clock.within(LIMIT, work).await, None);
        let late = began.elapsed() - LIMIT - Duration::from_secs(100);
        assert!(late <= LOOK + Duration::from_millis(2), "{late:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_pause_before_the_start_does_not_count() {
        let clock = CallClock::default();
        let asked = clock.pause();
        sleep(Duration::from_secs(100)).await;
        let mark = clock.mark();
        sleep(Duration::from_secs(7)).await;
        assert_eq!(clock.since(&mark), Duration::ZERO);
        drop(asked);
        sleep(Duration::from_secs(7)).await;
        assert_eq!(clock.since(&mark).as_secs(), 7);
    }

    #[tokio::test(start_paused = true)]
    async fn activity_restarts_the_limit_up_to_the_maximum() {
        // (the times of the signs, the time at which the limit passes), in seconds
        let cases: [(&[u64], u64); 6] = [
            (&[], 10),
            (&[7], 17),
            (&[7, 14, 20], 30),
            (&[7, 14, 21, 28, 31], 35),
            (&[7, 14, 21, 28, 33, 34], 35),
            (&[11], 10),
        ];
        for (signs, expected) in cases {
            let (clock, began) = (CallClock::default(), Instant::now());
            let work = async {
                for sign in signs {
                    sleep_until(began + Duration::from_secs(*sign)).await;
                    clock.restart();
                }
                pending::<()>().await;
            };
            let limits = CallLimits { first: LIMIT, again: LIMIT, most: Duration::from_secs(35) };
            assert_eq!(clock.within_limits(&clock.mark(), limits, work).await, None);
            assert_eq!(began.elapsed().as_secs(), expected, "{signs:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn activity_may_be_ignored_and_never_shortens_a_limit() {
        for (first, most, expected) in [(10, 0, 10), (10, 5, 10), (100, 35, 100)] {
            let (clock, began) = (CallClock::default(), Instant::now());
            let work = async {
                for _ in 0..100 {
                    sleep(Duration::from_secs(3)).await;
                    clock.restart();
                }
                pending::<()>().await;
            };
            let (first, most) = (Duration::from_secs(first), Duration::from_secs(most));
            let limits = CallLimits { first, again: first, most };
            assert_eq!(clock.within_limits(&clock.mark(), limits, work).await, None);
            assert_eq!(began.elapsed().as_secs(), expected);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_result_in_time_is_returned() {
        let clock = CallClock::default();
        assert_eq!(clock.within(LIMIT, async { sleep(LIMIT / 2).await }).await, Some(()));
        assert_eq!(clock.within(LIMIT, pending::<()>()).await, None);
    }
}
