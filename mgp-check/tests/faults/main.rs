//! Servers with one planted fault each: exactly the check that is meant for it fails.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

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

#[tokio::test(start_paused = true)]
async fn each_fault_fails_exactly_the_check_that_is_meant_for_it() {
    let mut wrong = Vec::new();
    for (fault, id) in FAULTS {
        let report = check(&target(Fault(fault)), &SETTINGS).await;
        let failed = report.ids(CheckStatus::Failed);
        if failed != [*id] {
            wrong.push(format!("{fault}: expected {id}, failed {failed:?}\n{report}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// The checks of what the stateless revision does not have.
const OF_INITIALIZE: [&str; 5] =
    ["basics.ping", "mgp.cancel", "mgp.subscribe", "mgp.unsubscribe", "degradation.old-version"];

#[tokio::test(start_paused = true)]
async fn a_server_of_the_stateless_revision_alone_is_checked_but_for_what_that_revision_has_not() {
    let report = check(&fixture::stateless(Fault::NONE), &SETTINGS).await;
    assert_eq!(report.ids(CheckStatus::Failed), [""; 0], "{report}");
    assert_eq!(report.ids(CheckStatus::Skipped), OF_INITIALIZE, "{report}");
    assert!(report.to_string().contains("without a handshake, 2026-07-28"), "{report}");
    let mut wrong = Vec::new();
    for (fault, id) in FAULTS.iter().filter(|(_, id)| !OF_INITIALIZE.contains(id)) {
        let report = check(&fixture::stateless(Fault(fault)), &SETTINGS).await;
        // A version that is not spoken is no answer to the handshake here.
        let expected = if *fault == "a version that is none" { "basics.handshake" } else { *id };
        let failed = report.ids(CheckStatus::Failed);
        if failed != [expected] {
            wrong.push(format!("{fault}: expected {expected}, failed {failed:?}\n{report}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[tokio::test(start_paused = true)]
async fn a_message_says_what_was_sent_what_came_and_what_was_expected() {
    for (fault, id) in FAULTS {
        let report = check(&target(Fault(fault)), &SETTINGS).await;
        let outcome = report.outcomes.iter().find(|outcome| outcome.check.id == *id).unwrap();
        let message = &outcome.message;
        assert!(message.contains("came ") && message.contains("expected "), "{fault}: {message}");
    }
}

#[test]
fn every_check_has_a_fault_and_there_are_more_than_thirty() {
    let meant: BTreeSet<_> = FAULTS.iter().map(|(_, id)| *id).collect();
    let all: BTreeSet<_> = mgp_check::checks::ALL.iter().map(|check| check.id).collect();
    assert_eq!(meant, all);
    assert!(FAULTS.len() >= 30);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_hangs_dies_floods_or_writes_garbage_gives_a_report() {
    for fault in HOSTILE {
        let report = check(&target(Fault(fault)), &SETTINGS).await;
        assert_eq!(report.outcomes.len(), mgp_check::checks::ALL.len(), "{fault}");
        assert!(report.has_failures(), "{fault}: {report}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_is_read_within_bounds_which_the_report_names() {
    for (fault, bound) in [
        ("pages of long entries without end", "or 16 MiB of them"),
        ("floods with long notifications", "sent more than 64 MiB in one session"),
        ("a list of very many values", "a message of too many values"),
        ("a cursor without end", "a cursor longer than"),
    ] {
        let report = check(&target(Fault(fault)), &SETTINGS).await;
        assert!(report.has_failures() && report.to_string().contains(bound), "{fault}: {report}");
    }
}

#[tokio::test(start_paused = true)]
async fn tools_that_are_found_and_not_listed_are_checked_like_those_that_are_listed() {
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
async fn no_tool_is_called_that_is_not_marked_as_read_only() {
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
