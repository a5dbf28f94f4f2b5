//! Tests of each policy with each decision, as a call meets them at the gate.

use super::rig::{Gate, Human, SHELL, ran_out};
use crate::permission::{PermissionRow, PermissionRules, PermissionStore, SqlPermissionStore, SqlStore};
use PermissionPolicy::{AutoApprove, ConfigOnly, DenyAll, Interactive};
use mgp_types::permission::{PermissionPolicy, PermissionState};
use std::sync::{Arc, atomic::Ordering};

/// The decision on a permission that an operator, a policy or the configuration left.
#[derive(Debug, Clone, Copy)]
enum Decision {
    Nothing,
    Asked,
    Approved,
    ApprovedByPolicy,
    Denied,
    Ended,
    InTheConfiguration,
}

use Decision::{Approved, ApprovedByPolicy, Asked, Denied, Ended, InTheConfiguration, Nothing};

impl Decision {
    fn row(self) -> Option<PermissionRow> {
        let question = PermissionRow::question("s", &SHELL, None);
        match self {
            Nothing | InTheConfiguration => None,
            Asked => Some(question),
            Approved => Some(question.decided(PermissionState::Approved, "root", None)),
            ApprovedByPolicy => {
                let row = question.decided(PermissionState::Approved, "auto_approve", None);
                Some(PermissionRow { by_policy: true, ..row })
            }
            Denied => Some(question.decided(PermissionState::Denied, "root", None)),
            Ended => Some(ran_out()),
        }
    }
}

/// Makes one call under a policy, after a decision. The approver approves. Returns whether the call is sent, and the number of
/// questions to the approver.
async fn met(rules: PermissionRules, decision: Decision) -> (bool, usize) {
    let store = Arc::new(SqlPermissionStore::in_memory());
    if let Some(row) = decision.row() {
        store.put(row).await.unwrap();
    }
    let rules = match decision {
        InTheConfiguration => rules.approve("s", SHELL),
        _ => rules,
    };
    let human = Human::approving();
    human.go.notify_one();
    let gate = Gate::over(store, rules, Some(Arc::new(human.clone()))).await;
    let (code, reached) = gate.outcome().await;
    assert_eq!((code, reached), if reached == 1 { (None, 1) } else { (Some(1000), 0) });
    (reached == 1, human.asked.load(Ordering::SeqCst))
}

#[tokio::test]
async fn each_policy_meets_each_decision() {
    const GOES: (bool, usize) = (true, 0);
    const STAYS: (bool, usize) = (false, 0);
    const ASKED_FIRST: (bool, usize) = (true, 1);
    let policy = PermissionRules::new;
    for (rules, expected) in [
        (policy(Interactive), [ASKED_FIRST, ASKED_FIRST, GOES, ASKED_FIRST, STAYS, ASKED_FIRST, GOES]),
        (policy(AutoApprove), [GOES, GOES, GOES, GOES, STAYS, GOES, GOES]),
        (
            policy(AutoApprove).except(SHELL),
            [ASKED_FIRST, ASKED_FIRST, GOES, ASKED_FIRST, STAYS, ASKED_FIRST, GOES],
        ),
        (policy(DenyAll), [STAYS, STAYS, GOES, STAYS, STAYS, STAYS, GOES]),
        (policy(ConfigOnly), [STAYS, STAYS, STAYS, STAYS, STAYS, STAYS, GOES]),
    ] {
        let decisions = [Nothing, Asked, Approved, ApprovedByPolicy, Denied, Ended, InTheConfiguration];
        for (decision, expected) in decisions.into_iter().zip(expected) {
            assert_eq!(met(rules.clone(), decision).await, expected, "{rules:?} {decision:?}");
        }
    }
}
