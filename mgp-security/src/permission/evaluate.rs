//! §3.3 The status of a permission under a policy. Pure functions: no store, no clock.

use super::{PermissionRow, PermissionRules};
use jiff::Timestamp;
use mgp_types::permission::{Permission, PermissionPolicy, PermissionState};

/// The status of a permission.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Standing {
    pub(super) outcome: Outcome,
    /// The time at which an approval expired, if that is not noted yet.
    pub(super) ran_out: Option<Timestamp>,
}

/// The consequence of a permission's status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    /// A call that needs the permission may continue.
    Approved(ApprovedBy),
    /// The call may not continue, and nobody is asked.
    Refused(PermissionState),
    /// The approver is asked to approve the permission.
    Ask,
    /// The policy approves the permission now.
    Approve,
    /// The policy denies the permission now.
    Deny,
}

/// The source of an approval.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ApprovedBy {
    Configuration,
    Operator,
    Policy,
}

impl ApprovedBy {
    /// Returns the approver's name in the audit trail.
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Configuration => "configuration",
            Self::Operator => "operator",
            Self::Policy => "auto_approve",
        }
    }
}

pub(super) fn evaluate(
    rules: &PermissionRules,
    server_id: &str,
    permission: &Permission,
    row: Option<&PermissionRow>,
    now: Timestamp,
) -> Standing {
    let plain = |outcome| Standing { outcome, ran_out: None };
    if rules.approves(server_id, permission) {
        return plain(Outcome::Approved(ApprovedBy::Configuration));
    }
    let auto = rules.policy == PermissionPolicy::AutoApprove && !rules.exceptions.contains(permission);
    let denies = matches!(rules.policy, PermissionPolicy::DenyAll | PermissionPolicy::ConfigOnly);
    // A decision by a policy counts only while that policy is in force.
    let in_force = |row: &&PermissionRow| if row.state == PermissionState::Denied { denies } else { auto };
    let row = row.filter(|row| !row.by_policy || in_force(row));
    let ran_out = row
        .filter(|row| row.state == PermissionState::Approved)
        .and_then(|row| row.expires_at)
        .filter(|end| *end <= now);
    let state = match row {
        Some(_) if ran_out.is_some() => PermissionState::Expired,
        Some(row) => row.state,
        None => PermissionState::Deferred,
    };
    let outcome = match (rules.policy, state) {
        // Grants by operators are refused here, including earlier ones.
        (PermissionPolicy::ConfigOnly, PermissionState::Approved) => {
            Outcome::Refused(PermissionState::Denied)
        }
        (_, PermissionState::Approved) if row.is_some_and(|row| row.by_policy) => {
            Outcome::Approved(ApprovedBy::Policy)
        }
        (_, PermissionState::Approved) => Outcome::Approved(ApprovedBy::Operator),
        // No policy approves a permission that a human has denied.
        (_, PermissionState::Denied) => Outcome::Refused(PermissionState::Denied),
        (PermissionPolicy::DenyAll | PermissionPolicy::ConfigOnly, _) => Outcome::Deny,
        (PermissionPolicy::AutoApprove, _) if auto => Outcome::Approve,
        (PermissionPolicy::AutoApprove | PermissionPolicy::Interactive, _) => Outcome::Ask,
    };
    Standing { outcome, ran_out }
}

#[cfg(test)]
mod tests {
    use super::*;
    use PermissionPolicy::{AutoApprove, ConfigOnly, DenyAll, Interactive};
    use PermissionState::{Approved, Deferred, Denied, Expired};
    use mgp_types::permission::StandardPermission;

    const SHELL: Permission = Permission::Standard(StandardPermission::ShellExecute);
    const BY_OPERATOR: Outcome = Outcome::Approved(ApprovedBy::Operator);

    fn row(state: PermissionState) -> PermissionRow {
        PermissionRow { state, ..PermissionRow::question("s", &SHELL, None) }
    }

    fn outcome(rules: &PermissionRules, row: Option<&PermissionRow>) -> Outcome {
        evaluate(rules, "s", &SHELL, row, Timestamp::now()).outcome
    }

    #[test]
    fn each_policy_decides_each_state() {
        for (policy, state, expected) in [
            (Interactive, None, Outcome::Ask),
            (Interactive, Some(Deferred), Outcome::Ask),
            (Interactive, Some(Expired), Outcome::Ask),
            (Interactive, Some(Approved), BY_OPERATOR),
            (Interactive, Some(Denied), Outcome::Refused(Denied)),
            (AutoApprove, None, Outcome::Approve),
            (AutoApprove, Some(Deferred), Outcome::Approve),
            (AutoApprove, Some(Expired), Outcome::Approve),
            (AutoApprove, Some(Approved), BY_OPERATOR),
            (AutoApprove, Some(Denied), Outcome::Refused(Denied)),
            (DenyAll, None, Outcome::Deny),
            (DenyAll, Some(Deferred), Outcome::Deny),
            (DenyAll, Some(Expired), Outcome::Deny),
            (DenyAll, Some(Approved), BY_OPERATOR),
            (DenyAll, Some(Denied), Outcome::Refused(Denied)),
            (ConfigOnly, None, Outcome::Deny),
            (ConfigOnly, Some(Deferred), Outcome::Deny),
            (ConfigOnly, Some(Expired), Outcome::Deny),
            (ConfigOnly, Some(Approved), Outcome::Refused(Denied)),
            (ConfigOnly, Some(Denied), Outcome::Refused(Denied)),
        ] {
            let row = state.map(row);
            assert_eq!(outcome(&PermissionRules::new(policy), row.as_ref()), expected, "{policy} {state:?}");
        }
    }

    #[test]
    fn a_configured_approval_holds_under_every_policy() {
        for policy in PermissionPolicy::ALL {
            let rules = PermissionRules::new(*policy).approve("s", SHELL);
            assert_eq!(outcome(&rules, None), Outcome::Approved(ApprovedBy::Configuration));
            assert!(!rules.approves("other", &SHELL));
        }
    }

    #[test]
    fn an_auto_approve_exception_asks_despite_earlier_approval() {
        let by_policy = PermissionRow { by_policy: true, ..row(Approved) };
        let auto = PermissionRules::new(AutoApprove);
        assert_eq!(outcome(&auto, Some(&by_policy)), Outcome::Approved(ApprovedBy::Policy));
        assert_eq!(outcome(&auto.except(SHELL), Some(&by_policy)), Outcome::Ask);
        assert_eq!(outcome(&PermissionRules::new(Interactive), Some(&by_policy)), Outcome::Ask);
    }

    #[test]
    fn a_policy_s_denial_counts_only_under_a_denying_policy() {
        let by_policy = PermissionRow { by_policy: true, ..row(Denied) };
        for (policy, expected) in [
            (DenyAll, Outcome::Refused(Denied)),
            (ConfigOnly, Outcome::Refused(Denied)),
            (Interactive, Outcome::Ask),
            (AutoApprove, Outcome::Approve),
        ] {
            assert_eq!(outcome(&PermissionRules::new(policy), Some(&by_policy)), expected, "{policy}");
        }
        let approved = PermissionRow { by_policy: true, ..row(Approved) };
        assert_eq!(outcome(&PermissionRules::new(DenyAll), Some(&approved)), Outcome::Deny);
    }

    #[test]
    fn an_approval_ends_at_its_time() {
        let end: Timestamp = "2026-03-01T00:00:00Z".parse().unwrap();
        let row = PermissionRow { expires_at: Some(end), ..row(Approved) };
        let at = |now| evaluate(&PermissionRules::new(Interactive), "s", &SHELL, Some(&row), now);
        let before: Timestamp = "2026-02-28T23:59:59Z".parse().unwrap();
        assert_eq!(at(before), Standing { outcome: BY_OPERATOR, ran_out: None });
        assert_eq!(at(end), Standing { outcome: Outcome::Ask, ran_out: Some(end) });
    }
}
