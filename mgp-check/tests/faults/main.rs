//! Servers with one planted fault each: exactly the check that is meant for it fails.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod areas;
mod bounds;
mod fixture;
mod table;
mod vectors;

use fixture::{Fault, target};
use mgp_check::{CheckSettings, CheckStatus, check};
use std::{collections::BTreeSet, time::Duration};
use table::{FAULTS, HOSTILE};

/// The settings of a run in paused time, in which no wait takes any.
const SETTINGS: CheckSettings = CheckSettings {
    timeout: Duration::from_secs(5),
    total: Duration::from_secs(600),
    call_all: false,
    calls: 5,
    without_initialize: false,
};

#[tokio::test(start_paused = true)]
async fn a_server_without_faults_passes_every_check() {
    let report = check(&target(Fault::NONE), &SETTINGS).await;
    assert_eq!(report.ids(CheckStatus::Failed), [""; 0], "{report}");
    assert_eq!(report.ids(CheckStatus::Skipped), [""; 0], "{report}");
}

/// The checks of what the stateless revision does not have.
const OF_INITIALIZE: [&str; 5] =
    ["basics.ping", "mgp.cancel", "mgp.subscribe", "mgp.unsubscribe", "degradation.old-version"];

#[tokio::test(start_paused = true)]
async fn a_stateless_server_is_checked_except_for_what_it_lacks() {
    let report = check(&fixture::stateless(Fault::NONE), &SETTINGS).await;
    assert_eq!(report.ids(CheckStatus::Failed), [""; 0], "{report}");
    assert_eq!(report.ids(CheckStatus::Skipped), OF_INITIALIZE, "{report}");
    assert!(report.to_string().contains("without a handshake, 2026-07-28"), "{report}");
}

#[test]
fn every_check_has_a_fault_and_there_are_more_than_thirty() {
    let meant: BTreeSet<_> = FAULTS.iter().map(|(_, id)| *id).collect();
    let all: BTreeSet<_> = mgp_check::checks::ALL.iter().map(|check| check.id).collect();
    assert_eq!(meant, all);
    assert!(meant.iter().all(|id| areas::ALL.contains(&areas::area_of(id))));
    assert!(FAULTS.len() >= 30);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_hangs_dies_floods_or_babbles_is_reported() {
    for fault in HOSTILE {
        let report = check(&target(Fault(fault)), &SETTINGS).await;
        assert_eq!(report.outcomes.len(), mgp_check::checks::ALL.len(), "{fault}");
        assert!(report.has_failures(), "{fault}: {report}");
    }
}

#[tokio::test(start_paused = true)]
async fn found_tools_are_checked_like_listed_ones() {
    let (target, calls) = fixture::counted(Fault("the tools are found and not listed"));
    let report = check(&target, &SETTINGS).await;
    assert!(calls.lock().unwrap().contains("read"), "{report}");
    for id in ["mgp.security", "schemas.output", "schemas.result", "idempotency.conflict", "streaming.chunks"]
    {
        let outcome = report.outcomes.iter().find(|outcome| outcome.check.id == id).unwrap();
        assert_eq!(outcome.status, CheckStatus::Passed, "{id}: {report}");
    }
}

#[tokio::test(start_paused = true)]
async fn only_tools_marked_as_read_only_are_called() {
    let (target, calls) = fixture::counted(Fault::NONE);
    check(&target, &SETTINGS).await;
    let called = calls.lock().unwrap().clone();
    assert!(called.contains("read") && !called.contains("wipe"), "{called:?}");
    let (unclear, unclear_calls) = fixture::counted(Fault("read-only and destructive"));
    check(&unclear, &SETTINGS).await;
    assert!(!unclear_calls.lock().unwrap().contains("read"), "its marks contradict each other");
    check(&target, &CheckSettings { call_all: true, ..SETTINGS }).await;
    assert!(calls.lock().unwrap().contains("wipe"));
}
