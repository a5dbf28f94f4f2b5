//! Waits for conditions. A wait ends as soon as its condition holds, and fails a test that would hang.
//!
//! With a paused clock, the limit is two minutes of that clock, which pass in a moment: wait for other processes with the clock running.

use std::{
    panic::Location,
    thread,
    time::{Duration, Instant},
};
use tokio::time;

/// The limit of each wait. It is far longer than any wait on a busy machine, because it only ends hanging tests.
const LIMIT: Duration = Duration::from_secs(120);

/// The pause before a condition is checked again.
const PAUSE: Duration = Duration::from_millis(5);

/// Waits for a future.
///
/// # Panics
/// If the future takes longer than two minutes.
#[track_caller]
pub fn within<F: Future>(future: F) -> impl Future<Output = F::Output> {
    let caller = Location::caller();
    // Boxed, because the futures of tests are large.
    let future = Box::pin(future);
    async move {
        let output = time::timeout(LIMIT, future).await;
        output.unwrap_or_else(|_| panic!("timed out after {LIMIT:?} at {caller}"))
    }
}

/// Waits until a condition holds.
///
/// # Panics
/// If the condition does not hold within two minutes.
#[track_caller]
pub fn until(mut holds: impl FnMut() -> bool) -> impl Future<Output = ()> {
    within(async move {
        while !holds() {
            time::sleep(PAUSE).await;
        }
    })
}

/// Waits until `look` returns a value.
///
/// # Panics
/// If `look` returns no value within two minutes.
#[track_caller]
pub fn until_some<T>(mut look: impl AsyncFnMut() -> Option<T>) -> impl Future<Output = T> {
    within(async move {
        loop {
            if let Some(found) = look().await {
                return found;
            }
            time::sleep(PAUSE).await;
        }
    })
}

/// Waits until `look` returns a value, and blocks the thread meanwhile: for tests without a runtime.
///
/// # Panics
/// If `look` returns no value within two minutes.
#[track_caller]
pub fn block_until_some<T>(mut look: impl FnMut() -> Option<T>) -> T {
    let (start, caller) = (Instant::now(), Location::caller());
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(start.elapsed() < LIMIT, "timed out after {LIMIT:?} at {caller}");
        thread::sleep(PAUSE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    #[tokio::test(start_paused = true)]
    async fn a_wait_ends_when_its_condition_holds() {
        let mut looks = 0;
        until(|| {
            looks += 1;
            looks == 3
        })
        .await;
        assert_eq!(looks, 3);
        assert_eq!(until_some(async || Some(7)).await, 7);
        assert_eq!(block_until_some(|| Some(8)), 8);
    }

    #[test]
    fn an_endless_wait_fails_and_names_its_location() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
        let waits = || runtime.unwrap().block_on(until(|| false));
        let panicked = catch_unwind(AssertUnwindSafe(waits)).unwrap_err();
        let message: &String = panicked.downcast_ref().unwrap();
        assert!(message.contains("timed out after 120s at ") && message.contains("wait.rs:"), "{message}");
    }
}
