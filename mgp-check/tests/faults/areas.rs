//! The faults of each area of checks. Each area has tests of its own, so that they run at the same time.

use crate::{
    OF_INITIALIZE, SETTINGS,
    fixture::{self, Fault, target},
    table::FAULTS,
};
use mgp_check::{CheckStatus, check};

/// Returns the area of a check: the part of its id before the dot.
pub(crate) fn area_of(id: &str) -> &str {
    id.split_once('.').map_or(id, |(area, _)| area)
}

fn faults_of(area: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    FAULTS.iter().copied().filter(move |(_, id)| area_of(id) == area)
}

/// Checks that each fault fails exactly the check that is meant for it, with a message about the answer and the expectation.
async fn fails_its_check(area: &str) {
    let mut wrong = Vec::new();
    for (fault, id) in faults_of(area) {
        let report = check(&target(Fault(fault)), &SETTINGS).await;
        let failed = report.ids(CheckStatus::Failed);
        let outcome = report.outcomes.iter().find(|outcome| outcome.check.id == id).unwrap();
        let message = &outcome.message;
        if failed != [id] || !message.contains("got ") || !message.contains("expected ") {
            wrong.push(format!("{fault}: expected {id}, failed {failed:?}: {message}\n{report}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// Checks the same for servers that support only the stateless revision.
async fn fails_its_check_in_the_stateless_revision(area: &str) {
    let mut wrong = Vec::new();
    for (fault, id) in faults_of(area).filter(|(_, id)| !OF_INITIALIZE.contains(id)) {
        let report = check(&fixture::stateless(Fault(fault)), &SETTINGS).await;
        // With an unknown version, the handshake itself fails here.
        let expected = if fault == "a version that is none" { "basics.handshake" } else { id };
        let failed = report.ids(CheckStatus::Failed);
        if failed != [expected] {
            wrong.push(format!("{fault}: expected {expected}, failed {failed:?}\n{report}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

macro_rules! areas {
    ($($area:ident)*) => {
        /// The areas that have tests.
        pub(crate) const ALL: &[&str] = &[$(stringify!($area)),*];

        $(mod $area {
            #[tokio::test(start_paused = true)]
            async fn each_fault_fails_only_its_check_with_the_reason() {
                super::fails_its_check(stringify!($area)).await;
            }

            #[tokio::test(start_paused = true)]
            async fn each_fault_fails_its_check_in_the_stateless_revision_too() {
                super::fails_its_check_in_the_stateless_revision(stringify!($area)).await;
            }
        })*
    };
}

areas! { basics messages lists schemas errors mgp idempotency scopes streaming degradation }
