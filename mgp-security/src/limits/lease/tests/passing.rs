//! Tests of single calls with shared limits.

use super::support::{Kernels, TestStore, decided, judge, kernel};
use crate::limits::{
    CallerLimits, TargetLimits,
    buckets::MAX_BUCKETS,
    tests::{agent, call, number, server, tool},
};
use mgp_transport::seam::{Decision, Judge};
use std::time::Duration;
use tokio::time::sleep;

#[tokio::test(start_paused = true)]
async fn a_call_waits_for_the_store_only_without_a_leased_call() {
    let mut kernels = Kernels::start(1, &TestStore::in_memory(), 600, 600).await;
    let mut waited = 0;
    for _ in 0..200 {
        let decision = CallerLimits(kernels.kernels[0].clone()).judge(&kernels.call);
        waited += usize::from(matches!(decision, Decision::Wait(_)));
        decided(decision).await.unwrap();
        kernels.passed += 1;
        // The task leases others meanwhile.
        sleep(Duration::from_millis(5)).await;
    }
    assert!((1..=3).contains(&waited), "{waited} calls waited");
    let requests = kernels.store.requests();
    assert!((5..=20).contains(&requests), "{requests} requests for 200 calls");
}

#[tokio::test(start_paused = true)]
async fn simultaneous_calls_wait_for_one_answer() {
    let kernels = Kernels::start(1, &TestStore::in_memory(), 60, 10).await;
    let call = || {
        let decision = CallerLimits(kernels.kernels[0].clone()).judge(&kernels.call);
        tokio::spawn(decided(decision))
    };
    let calls: Vec<_> = (0..30).map(|_| call()).collect();
    let mut passed = 0;
    for call in calls {
        passed += usize::from(call.await.unwrap().is_ok());
    }
    assert_eq!((passed, kernels.store.requests()), (10, 1));
}

#[tokio::test(start_paused = true)]
async fn a_dry_run_of_a_shared_limit_takes_nothing() {
    let store = TestStore::in_memory();
    let [one, other] = [(); 2].map(|()| kernel(&store, &[agent("a", 2), server("s", 1)]));
    let mut dry = call("a", "s", "t");
    dry.dry_run = true;
    for _ in 0..5 {
        judge(&one, &dry).await.unwrap();
    }
    assert!(matches!(TargetLimits(other.clone()).judge(&dry), Decision::Read(_)), "a dry run is awaited");
    judge(&other, &call("a", "s", "t")).await.unwrap();
    sleep(Duration::from_secs(1)).await;
    let refusal = judge(&one, &dry).await.unwrap_err();
    assert!(refusal.reason.contains("limits.servers.s.requests_per_minute"), "{}", refusal.reason);
    judge(&one, &call("a", "x", "t")).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_call_takes_from_all_shared_limits_or_from_none() {
    let store = TestStore::in_memory();
    let rules = [tool("s", "t", 1), server("s", 3)];
    let [one, other] = [(); 2].map(|()| kernel(&store, &rules));
    judge(&one, &call("a", "s", "t")).await.unwrap();
    for _ in 0..3 {
        let refusal = judge(&other, &call("a", "s", "t")).await.unwrap_err();
        assert!(refusal.reason.contains("limits.tools.s__t"), "{}", refusal.reason);
    }
    // The leased calls that were not used have returned.
    sleep(Duration::from_secs(5)).await;
    judge(&one, &call("a", "s", "x")).await.unwrap();
    judge(&other, &call("a", "s", "x")).await.unwrap();
    assert!(judge(&other, &call("a", "s", "x")).await.is_err());
}

#[tokio::test(start_paused = true)]
async fn only_equal_rules_share_a_bucket() {
    let store = TestStore::in_memory();
    let [one, other] = [agent("*", 1), agent("*", 2)].map(|rule| kernel(&store, &[rule]));
    let call = call("a", "s", "t");
    judge(&one, &call).await.unwrap();
    judge(&other, &call).await.unwrap();
    assert!(judge(&one, &call).await.is_err());
    one.set_rules(&[agent("*", 2).burst(number(2))]);
    judge(&one, &call).await.unwrap();
    assert!(judge(&one, &call).await.is_err(), "the other one took a call");
    for rules in [server("*", 1).per_agent(), server("*", 1)] {
        one.set_rules(&[rules]);
        judge(&one, &call).await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn excess_callers_share_a_bucket_and_idle_ones_are_dropped() {
    let kernel = kernel(&TestStore::in_memory(), &[agent("*", 60)]);
    for number in 0..MAX_BUCKETS + 50 {
        // Not awaited, so the store is not asked.
        let _ = CallerLimits(kernel.clone()).judge(&call(&format!("a{number}"), "s", "t"));
    }
    assert_eq!(kernel.buckets(), MAX_BUCKETS + 1);
    sleep(Duration::from_secs(3)).await;
    assert_eq!(kernel.buckets(), 0);
    for number in 0..5 {
        judge(&kernel, &call(&format!("a{number}"), "s", "t")).await.unwrap();
    }
    assert_eq!(kernel.buckets(), 5);
    sleep(Duration::from_secs(5)).await;
    assert_eq!(kernel.buckets(), 0);
}
