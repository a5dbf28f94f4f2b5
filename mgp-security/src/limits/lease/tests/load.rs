//! Tests of the number of calls that several kernels let through together.

use super::support::{Kernels, TestStore, judge};
use crate::limits::tests::wait_of;
use std::time::Duration;
use tokio::time::sleep;

const MINUTE: Duration = Duration::from_secs(60);

/// Limits a minute with their bursts: usual ones, small ones, and a high rate without a burst.
const LIMITS: [(u32, u32); 7] = [(600, 100), (120, 120), (60, 60), (20, 5), (6, 1), (2, 2), (6000, 1)];

/// Loads three kernels with a store of each engine, with few calls at once, and under each of the limits, with more calls. Checks each time
/// that one limit was allowed.
async fn check_each(what: &str, more_calls: usize, load: impl AsyncFn(&mut Kernels, usize)) {
    for store in TestStore::of_each_engine().await {
        let mut kernels = Kernels::start(3, &store, 600, 100).await;
        load(&mut kernels, 1).await;
        kernels.check(what);
    }
    for (per_minute, burst) in LIMITS {
        let mut kernels = Kernels::start(3, &TestStore::in_memory(), per_minute, burst).await;
        load(&mut kernels, more_calls).await;
        kernels.check(what);
    }
}

#[tokio::test(start_paused = true)]
async fn three_busy_kernels_together_allow_one_limit() {
    check_each("even load", 5, async |kernels, calls| kernels.load(MINUTE, &[0, 1, 2], calls).await).await;
}

#[tokio::test(start_paused = true)]
async fn one_busy_kernel_of_three_gets_the_whole_limit() {
    check_each("one kernel", 10, async |kernels, calls| kernels.load(MINUTE, &[1], calls).await).await;
}

#[tokio::test(start_paused = true)]
async fn the_limit_follows_load_that_moves() {
    let load = async |kernels: &mut Kernels, calls| {
        for turn in 0..24 {
            kernels.load(MINUTE / 24, &[turn % 3], calls).await;
        }
    };
    check_each("moving load", 10, load).await;
}

#[tokio::test(start_paused = true)]
async fn a_kernel_that_dies_takes_few_calls_with_it() {
    for (per_minute, burst) in LIMITS {
        let mut kernels = Kernels::start(3, &TestStore::in_memory(), per_minute, burst).await;
        kernels.load(MINUTE / 3, &[0, 1, 2], 2).await;
        kernels.kernels.pop();
        kernels.load(MINUTE * 2 / 3, &[0, 1], 5).await;
        kernels.check("a dead kernel");
    }
}

#[tokio::test(start_paused = true)]
async fn calls_that_a_kernel_does_not_use_return_to_the_others() {
    for store in TestStore::of_each_engine().await {
        let mut kernels = Kernels::start(2, &store, 1, 100).await;
        // Each lease is larger than the one before, and the last one is not used up.
        for _ in 0..10 {
            judge(&kernels.kernels[0], &kernels.call).await.unwrap();
        }
        kernels.exhaust(1).await;
        assert!(kernels.passed < 90, "{} passed while the other one had leased some", kernels.passed);
        sleep(Duration::from_secs(5)).await;
        // The bucket was empty, and the kernel waits until it has a call.
        sleep(MINUTE).await;
        kernels.exhaust(1).await;
        assert_eq!(kernels.passed, 91, "one came back in the minute");
    }
}

#[tokio::test(start_paused = true)]
async fn a_refused_call_passes_after_its_wait() {
    let mut kernels = Kernels::start(2, &TestStore::in_memory(), 6, 3).await;
    for turn in 0..4 {
        let kernel = turn % 2;
        kernels.exhaust(kernel).await;
        let wait = wait_of(&kernels.exhaust(kernel).await);
        assert!(wait > Duration::from_secs(9) && wait <= Duration::from_secs(10), "{wait:?}");
        sleep(wait - Duration::from_millis(2)).await;
        assert!(judge(&kernels.kernels[kernel], &kernels.call).await.is_err());
        sleep(Duration::from_millis(2)).await;
        judge(&kernels.kernels[kernel], &kernels.call).await.unwrap();
    }
}
