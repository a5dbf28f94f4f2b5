//! Draining: no new calls are taken, and the drain ends with the last call in flight.

use super::support::{gate_in, settle, waits};
use mgp_lifecycle::{gate::DrainOutcome, on_demand::Demand, state::Outlook};
use mgp_types::{error::ErrorCode, lifecycle::ServerState};
use std::{
    sync::{Arc, Barrier},
    time::Duration,
};
use tokio::time::Instant;

const TIMEOUT: Duration = Duration::from_secs(30);

#[tokio::test(start_paused = true)]
async fn a_drain_admits_no_call_and_ends_with_the_last_one() {
    let gate = gate_in(ServerState::Connected);
    let (first, last) = (gate.enter().unwrap(), gate.enter().unwrap());
    let drain = gate.drain("operator_request", TIMEOUT, Outlook::Open).unwrap();
    assert_eq!(gate.enter().unwrap_err().code(), ErrorCode::ServerDraining);
    assert_eq!(gate.in_flight(), 2);
    let start = Instant::now();
    let mut finished = Box::pin(drain.finished());
    assert!(waits(finished.as_mut()));
    drop(first);
    assert!(waits(finished.as_mut()), "one call is still in flight");
    drop(last);
    assert_eq!(finished.await, DrainOutcome::Idle);
    assert_eq!(start.elapsed(), Duration::ZERO, "the drain slept");
}

#[tokio::test(start_paused = true)]
async fn a_drain_wakes_its_waiters() {
    let gate = gate_in(ServerState::Connected);
    let call = gate.enter().unwrap();
    let drain = gate.drain("operator_request", TIMEOUT, Outlook::Open).unwrap();
    let waiting = tokio::spawn(async move { drain.finished().await });
    settle().await;
    assert!(!waiting.is_finished());
    let start = Instant::now();
    drop(call);
    assert_eq!(waiting.await.unwrap(), DrainOutcome::Idle);
    assert_eq!(start.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn a_drain_with_nothing_in_flight_ends_at_once() {
    let gate = gate_in(ServerState::Connected);
    let drain = gate.drain("idle_timeout", TIMEOUT, Outlook::Open).unwrap();
    assert_eq!(drain.answer().estimated_drain_ms, Some(0));
    assert!(!waits(drain.finished()));
}

#[tokio::test(start_paused = true)]
async fn a_drain_s_time_limit_counts_from_its_beginning() {
    let gate = gate_in(ServerState::Connected);
    let _call = gate.enter().unwrap();
    let start = Instant::now();
    let drain = gate.drain("operator_request", TIMEOUT, Outlook::Open).unwrap();
    tokio::time::advance(Duration::from_secs(10)).await;
    assert_eq!(drain.finished().await, DrainOutcome::TimedOut { pending: 1 });
    let elapsed = start.elapsed();
    assert!(elapsed >= TIMEOUT && elapsed < TIMEOUT + Duration::from_millis(10), "{elapsed:?}");
}

#[tokio::test(start_paused = true)]
async fn the_answer_counts_calls_in_flight_and_estimates_their_end() {
    let gate = gate_in(ServerState::Connected);
    let before = gate.enter().unwrap();
    tokio::time::advance(Duration::from_millis(400)).await;
    before.answered();
    let _call = gate.enter().unwrap();
    let drain = gate.drain("operator_request", TIMEOUT, Outlook::Open).unwrap();
    let answer = drain.answer();
    assert!(answer.accepted);
    assert_eq!((answer.pending_requests, answer.estimated_drain_ms), (Some(1), Some(400)));
}

#[tokio::test(start_paused = true)]
async fn without_earlier_calls_the_estimate_is_the_time_limit() {
    let gate = gate_in(ServerState::Connected);
    let _call = gate.enter().unwrap();
    let drain = gate.drain("operator_request", TIMEOUT, Outlook::Open).unwrap();
    assert_eq!(drain.answer().estimated_drain_ms, Some(30_000));
}

#[tokio::test]
async fn only_a_connected_server_drains() {
    for state in ServerState::ALL {
        let gate = gate_in(*state);
        assert_eq!(
            gate.drain("why", TIMEOUT, Outlook::Open).is_ok(),
            *state == ServerState::Connected,
            "{state}"
        );
    }
}

#[test]
fn no_call_slips_past_a_concurrent_drain() {
    for _ in 0..2000 {
        let gate = gate_in(ServerState::Connected);
        let start = Arc::new(Barrier::new(2));
        let caller = std::thread::spawn({
            let (gate, start) = (gate.clone(), start.clone());
            move || {
                start.wait();
                gate.enter()
            }
        });
        start.wait();
        gate.drain("race", TIMEOUT, Outlook::Open).unwrap();
        let idle = gate.in_flight() == 0;
        let let_in = caller.join().unwrap();
        assert!(!(idle && let_in.is_ok()), "the drain saw no call, and yet one was let in");
    }
}

#[tokio::test]
async fn a_server_that_a_request_needs_is_not_drained_as_unused() {
    let (gate, demand) = (gate_in(ServerState::Connected), Demand::default());
    let needed = demand.enter();
    assert!(gate.drain_unused(&demand, "idle", TIMEOUT).is_none());
    drop(needed);
    let call = gate.enter().unwrap();
    assert!(gate.drain_unused(&demand, "idle", TIMEOUT).is_none());
    drop(call);
    let drain = gate.drain_unused(&demand, "idle", TIMEOUT).unwrap();
    assert_eq!(drain.finished().await, DrainOutcome::Idle);
    let status = gate.machine().status();
    assert_eq!((status.state, status.outlook), (ServerState::Draining, Outlook::OnDemand));
}
