//! Tests of shared limits while their store is away.

use super::support::{Kernels, State, TestStore, judge};
use crate::limits::tests::wait_of;
use mgp_types::error::Recovery;
use std::time::Duration;
use tokio::time::{Instant, sleep};

const SECOND: Duration = Duration::from_secs(1);

#[tokio::test(start_paused = true)]
async fn calls_are_refused_while_the_store_is_away() {
    for state in [State::Away, State::Silent] {
        let kernels = Kernels::start(1, &TestStore::in_memory(), 600, 600).await;
        let pass = async || judge(&kernels.kernels[0], &kernels.call).await;
        // The last of these lease more calls than they use.
        for _ in 0..4 {
            pass().await.unwrap();
        }
        kernels.store.set(state);
        pass().await.unwrap();
        sleep(SECOND * 3).await;
        let began = Instant::now();
        let refusal = pass().await.unwrap_err();
        assert!(began.elapsed() <= SECOND * 2, "{:?}", began.elapsed());
        let error = refusal.answer.as_error().unwrap();
        assert_eq!(error.code, 3001);
        assert!(error.message.contains("store.on_outage"), "{}", error.message);
        let advice = Recovery::from_error(error).unwrap();
        assert_eq!((advice.retryable, advice.retry_after_ms), (true, Some(1000)));
        let began = Instant::now();
        pass().await.unwrap_err();
        assert!(began.elapsed().is_zero(), "nobody waits again: {:?}", began.elapsed());
        kernels.store.set(State::Here);
        sleep(SECOND * 3).await;
        pass().await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn with_a_snapshot_each_kernel_goes_on_with_its_part() {
    for state in [State::Away, State::Silent] {
        for (per_minute, burst) in [(600, 100), (120, 120), (60, 6)] {
            let mut kernels = Kernels::start(3, &TestStore::in_memory(), per_minute, burst).await;
            kernels.kernels.iter().for_each(|kernel| kernel.set_trusts_snapshot(true));
            kernels.load(SECOND * 20, &[0, 1, 2], 1).await;
            kernels.store.set(state);
            let before = kernels.passed;
            kernels.load(SECOND * 30, &[0, 1, 2], 1).await;
            assert!(kernels.passed > before + usize::try_from(per_minute).unwrap() * 4 / 10, "{state:?}");
            kernels.check("away");
            kernels.store.set(State::Here);
            kernels.load(SECOND * 30, &[0, 1, 2], 1).await;
            kernels.check("back");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn one_kernel_of_three_gets_a_third_in_an_outage() {
    let mut kernels = Kernels::start(3, &TestStore::in_memory(), 60, 6).await;
    kernels.kernels.iter().for_each(|kernel| kernel.set_trusts_snapshot(true));
    kernels.exhaust(0).await;
    assert_eq!(kernels.passed, 6);
    kernels.store.set(State::Away);
    sleep(SECOND).await;
    kernels.load(SECOND * 61, &[0], 1).await;
    assert!((25..=28).contains(&kernels.passed), "{}", kernels.passed);
    // A kernel that knows nothing of the bucket takes it for a full one.
    let before = kernels.passed;
    let wait = wait_of(&kernels.exhaust(1).await);
    assert_eq!((kernels.passed - before, wait), (2, SECOND * 3));
}

#[tokio::test(start_paused = true)]
async fn calls_made_in_an_outage_are_counted_after_it() {
    let mut kernels = Kernels::start(2, &TestStore::in_memory(), 1, 40).await;
    kernels.kernels.iter().for_each(|kernel| kernel.set_trusts_snapshot(true));
    kernels.store.set(State::Away);
    // Each gets a half of the full bucket.
    for kernel in 0..2 {
        kernels.exhaust(kernel).await;
    }
    assert_eq!(kernels.passed, 40);
    kernels.store.set(State::Here);
    sleep(SECOND * 5).await;
    for kernel in 0..2 {
        kernels.exhaust(kernel).await;
    }
    assert_eq!(kernels.passed, 40);
}
