//! Tests of the decisions under each policy, and of their notifications.

use super::rig::{Gate, Human, SHELL, interactive, operator, ran_out};
use crate::permission::{Approver, PendingApprover, PermissionRules, PermissionStore};
use jiff::{SignedDuration, Timestamp};
use mgp_types::{
    audit::{AuditEventType, AuditResult},
    context::Principal,
    permission::{GrantScope, Permission, PermissionPolicy, PermissionState, StandardPermission},
};
use std::sync::Arc;

const CAMERA: Permission = Permission::Standard(StandardPermission::Camera);

fn auto_approve() -> PermissionRules {
    PermissionRules::new(PermissionPolicy::AutoApprove)
}

#[tokio::test]
async fn interactive_without_an_approver_needs_the_operator() {
    let gate = Gate::new(interactive(), None).await;
    assert_eq!(gate.outcome().await, (Some(1000), 0));
    gate.permissions.grant("s", &SHELL, &operator(), None).await.unwrap();
    assert_eq!(gate.outcome().await, (None, 1));
    gate.permissions.revoke("s", &SHELL, &operator()).await.unwrap();
    assert_eq!(gate.outcome().await, (Some(1000), 1));
    let intended = AuditEventType::from("dev.cloto.mgp.CHANGE_INTENDED");
    let expected = [intended, AuditEventType::PermissionGranted, AuditEventType::PermissionRevoked];
    assert_eq!(gate.events(), expected);
}

#[tokio::test]
async fn config_only_refuses_later_grants_and_only_admins_decide() {
    let gate = Gate::new(PermissionRules::new(PermissionPolicy::ConfigOnly), None).await;
    let refused = gate.permissions.grant("s", &SHELL, &operator(), None).await.unwrap_err();
    assert_eq!(refused.code, 1000);
    let sentence =
        "the policy config_only takes approvals only from permissions.approved.s in the configuration";
    assert_eq!(refused.message, sentence);
    assert_eq!(gate.permissions.config_only("s").as_deref(), Some(sentence));
    let with_a_dot = gate.permissions.config_only("my.server").unwrap();
    assert!(with_a_dot.contains(r#"permissions.approved."my.server" in"#), "{with_a_dot}");
    let gate = Gate::new(interactive(), None).await;
    assert_eq!(gate.permissions.config_only("s"), None);
    let agent = Principal::agent("a");
    let codes = [
        gate.permissions.grant("s", &SHELL, &agent, None).await.unwrap_err().code,
        gate.permissions.deny("s", &SHELL, &agent).await.unwrap_err().code,
        gate.permissions.revoke("s", &SHELL, &agent).await.unwrap_err().code,
    ];
    assert_eq!((codes, gate.events().len()), ([1000; 3], 0));
}

#[tokio::test]
async fn auto_approve_approves_once_audited_and_asks_for_exceptions() {
    let gate = Gate::new(auto_approve(), None).await;
    assert_eq!(gate.outcome().await, (None, 1));
    assert_eq!(gate.outcome().await, (None, 2));
    let intended = AuditEventType::from("dev.cloto.mgp.CHANGE_INTENDED");
    assert_eq!(gate.events(), [intended, AuditEventType::PermissionGranted]);
    let gate = Gate::new(auto_approve().except(SHELL), None).await;
    assert_eq!(gate.outcome().await, (Some(1000), 0));
}

#[tokio::test]
async fn a_policy_s_approval_counts_only_while_the_policy_holds() {
    let gate = Gate::new(auto_approve(), None).await;
    assert_eq!(gate.outcome().await, (None, 1));
    let gate = Gate::over(gate.store, interactive(), None).await;
    assert_eq!(gate.outcome().await, (Some(1000), 0));
}

#[tokio::test]
async fn a_denying_policy_is_recorded_once_and_keeps_old_approvals() {
    for policy in [PermissionPolicy::DenyAll, PermissionPolicy::ConfigOnly] {
        let rules = || PermissionRules::new(policy);
        let gate = Gate::new(rules(), Some(Arc::new(Human::approving()))).await;
        for _ in 0..2 {
            assert_eq!(gate.outcome().await, (Some(1000), 0), "{policy}");
        }
        let intended = AuditEventType::from("dev.cloto.mgp.CHANGE_INTENDED");
        assert_eq!(gate.events(), [intended, AuditEventType::PermissionDenied]);
        let denied = gate.sink.events().pop().unwrap();
        assert_eq!(denied.result, AuditResult::Blocked);
        assert_eq!(denied.details.unwrap().text("policy").as_deref(), Some(policy.as_str()));
        assert_eq!(gate.permissions.state("s", &SHELL), PermissionState::Denied);
        assert!(!gate.permissions.waits("s", &SHELL) && gate.needed().is_empty());
        let refused = gate.permissions.grant("s", &SHELL, &operator(), None).await.unwrap_err();
        assert!(refused.code == 1000 && refused.message.contains("permissions.approved.s"), "{refused}");
        assert_eq!(gate.outcome().await, (Some(1000), 0), "{policy}");
        // Under another policy it is a question again, and its answer then counts only under `deny_all`.
        let asking = Gate::over(gate.store.clone(), interactive(), Some(Arc::new(PendingApprover))).await;
        assert_eq!(asking.permissions.state("s", &SHELL), PermissionState::Deferred);
        asking.permissions.grant("s", &SHELL, &operator(), None).await.unwrap();
        let again = Gate::over(gate.store, rules(), None).await;
        let goes = policy == PermissionPolicy::DenyAll;
        assert_eq!(again.outcome().await.1, usize::from(goes), "{policy}");
    }
}

#[tokio::test]
async fn a_policy_decides_before_calls_and_a_new_one_decides_again() {
    let gate = Gate::new(auto_approve(), None).await;
    for _ in 0..2 {
        gate.permissions.decide_by_policy("s", &SHELL).await.unwrap();
    }
    assert_eq!(gate.permissions.state("s", &SHELL), PermissionState::Approved);
    gate.permissions.set_rules(PermissionRules::new(PermissionPolicy::DenyAll));
    gate.permissions.decide_by_policy("s", &SHELL).await.unwrap();
    assert_eq!(gate.permissions.state("s", &SHELL), PermissionState::Denied);
    gate.permissions.set_rules(interactive());
    gate.permissions.decide_by_policy("s", &SHELL).await.unwrap();
    assert_eq!(gate.permissions.state("s", &SHELL), PermissionState::Deferred);
    let mut events = gate.events();
    events.retain(|event| event.as_str() != "dev.cloto.mgp.CHANGE_INTENDED");
    assert_eq!(events, [AuditEventType::PermissionGranted, AuditEventType::PermissionDenied]);
}

#[tokio::test]
async fn an_operator_s_decision_replaces_the_policy_s() {
    let gate = Gate::new(auto_approve(), None).await;
    gate.outcome().await;
    // Decisions have microseconds.
    let before = Timestamp::from_microsecond(Timestamp::now().as_microsecond()).unwrap();
    let row = gate.permissions.grant("s", &SHELL, &operator(), None).await.unwrap();
    assert_eq!((row.by_policy, row.decided_by.as_deref()), (false, Some("root")));
    assert!(row.decided_at.is_some_and(|at| before <= at && at <= Timestamp::now()));
    assert_eq!(gate.permissions.rows().await.unwrap(), [row]);
}

#[tokio::test]
async fn an_end_in_the_past_is_refused() {
    let gate = Gate::new(interactive(), None).await;
    let end = Timestamp::now() - SignedDuration::from_secs(1);
    let error = gate.permissions.grant("s", &SHELL, &operator(), Some(end)).await.unwrap_err();
    assert!(error.code == -32602 && error.message.contains("expires_at"), "{error}");
}

#[tokio::test]
async fn a_server_has_approved_and_to_be_approved_permissions() {
    let gate = Gate::new(auto_approve().except(CAMERA), None).await;
    assert!(gate.permissions.has_all("s", &[SHELL]));
    assert!(!gate.permissions.has_all("s", &[SHELL, CAMERA]));
    gate.permissions.grant("s", &CAMERA, &operator(), None).await.unwrap();
    assert!(gate.permissions.has_all("s", &[SHELL, CAMERA]));
}

#[tokio::test]
async fn only_decisions_are_notified() {
    let gate = Gate::new(interactive(), None).await;
    let mut told = gate.permissions.decisions();
    let mut news = || {
        let news = told.has_changed().unwrap();
        told.mark_unchanged();
        news
    };
    gate.permissions.open_question("s", &SHELL).await.unwrap();
    assert!(!news());
    gate.permissions.grant("s", &SHELL, &operator(), None).await.unwrap();
    assert!(news());
    gate.permissions.open_question("s", &CAMERA).await.unwrap();
    assert!(!news(), "the decision is the one that it was");
    gate.permissions.deny("s", &SHELL, &operator()).await.unwrap();
    assert!(news(), "the same permission, decided in another way");
    gate.permissions.revoke("s", &SHELL, &operator()).await.unwrap();
    assert!(news());
}

#[tokio::test]
async fn the_trail_records_decision_and_end_of_a_permission() {
    let gate = Gate::new(interactive(), None).await;
    gate.permissions.grant("s", &SHELL, &operator(), None).await.unwrap();
    gate.permissions.deny("s", &SHELL, &operator()).await.unwrap();
    let row = ran_out();
    gate.store.put(row.clone()).await.unwrap();
    let later = Gate::over(gate.store.clone(), interactive(), None).await;
    later.outcome().await;
    let results: Vec<_> = gate.sink.events().into_iter().map(|event| event.result).collect();
    // Each after the event of its intent.
    let (granted, denied) = (AuditResult::Success, AuditResult::Blocked);
    assert_eq!(results, [AuditResult::Success, granted, AuditResult::Success, denied]);
    let details = later.sink.events().remove(0).details.unwrap();
    let end: Option<String> = details.decode("expires_at").unwrap();
    assert_eq!(end, row.expires_at.map(|end| end.to_string()));
}

#[tokio::test]
async fn an_approval_has_its_latest_limits_for_its_permission() {
    let gate = Gate::new(interactive(), None).await;
    let permissions = &gate.permissions;
    let scope = |names: &[&str]| GrantScope::Programs(names.iter().map(ToString::to_string).collect());
    for limits in [Some(scope(&["git"])), Some(scope(&["git", "rg"])), None] {
        permissions.grant_within("s", &SHELL, &operator(), None, limits.clone()).await.unwrap();
        assert_eq!(permissions.scope("s", &SHELL), limits);
        assert_eq!(permissions.scope("other", &SHELL), None);
    }
    permissions.grant_within("s", &SHELL, &operator(), None, Some(scope(&["git"]))).await.unwrap();
    for (permission, wrong) in
        [(&CAMERA, scope(&["git"])), (&SHELL, scope(&[])), (&SHELL, GrantScope::Ports(vec![1]))]
    {
        let refused = permissions.grant_within("s", permission, &operator(), None, Some(wrong)).await;
        assert_eq!(refused.unwrap_err().code, -32602);
    }
    assert_eq!(permissions.scope("s", &SHELL), Some(scope(&["git"])));
    let denied = permissions.deny("s", &SHELL, &operator()).await.unwrap();
    assert_eq!((permissions.scope("s", &SHELL), denied.scope), (None, None));
    assert!(gate.sink.events().pop().unwrap().details.unwrap().get("scope").is_none());
}

#[tokio::test]
async fn pending_questions_depend_on_policy_and_decision() {
    let attended = || Some(Arc::new(PendingApprover) as Arc<dyn Approver>);
    let policy = PermissionRules::new;
    for (rules, approver, waits, asks) in [
        (interactive(), attended(), true, true),
        (interactive(), None, true, false),
        (policy(PermissionPolicy::DenyAll), attended(), false, false),
        (policy(PermissionPolicy::ConfigOnly), attended(), false, false),
        (auto_approve(), attended(), false, false),
        (auto_approve().except(SHELL), attended(), true, true),
    ] {
        let case = format!("{rules:?}, {approver:?}");
        let gate = Gate::new(rules, approver).await;
        let found = || (gate.permissions.waits("s", &SHELL), gate.permissions.asks("s", &SHELL));
        assert_eq!(found(), (waits, asks), "{case}");
        gate.permissions.deny("s", &SHELL, &operator()).await.unwrap();
        assert_eq!(found(), (false, false), "denied: {case}");
    }
    let approved = Gate::new(interactive().approve("s", SHELL), attended()).await.permissions;
    assert!(!approved.waits("s", &SHELL) && !approved.asks("s", &SHELL));
    let gate = Gate::new(interactive(), None).await;
    gate.store.put(ran_out()).await.unwrap();
    let gate = Gate::over(gate.store, interactive(), None).await;
    assert!(gate.permissions.waits("s", &SHELL), "its approval has ended");
}

#[tokio::test]
async fn an_approval_names_its_source_and_has_its_source_s_end() {
    let end = Timestamp::from_second(Timestamp::now().as_second() + 3600).unwrap();
    let by = |name: &str, end| Some((name.to_owned(), end));
    let gate = Gate::new(interactive(), None).await;
    assert_eq!(gate.permissions.approval("s", &SHELL), None);
    gate.permissions.grant("s", &SHELL, &operator(), Some(end)).await.unwrap();
    assert_eq!(gate.permissions.approval("s", &SHELL), by("root", Some(end)));
    let configured = Gate::over(gate.store, interactive().approve("s", SHELL), None).await;
    assert_eq!(configured.permissions.approval("s", &SHELL), by("configuration", None));
    let gate = Gate::new(auto_approve(), None).await;
    gate.outcome().await;
    assert_eq!(gate.permissions.approval("s", &SHELL), by("auto_approve", None));
    assert_eq!(gate.permissions.approval("other", &SHELL), None, "nobody has needed it yet");
}
