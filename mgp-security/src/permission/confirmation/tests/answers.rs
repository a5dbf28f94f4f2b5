//! Questions that stay open, and the answers to them.

use super::rig::{FixedAnswer, Gate, calling, dangerous, message, operator};
use crate::{
    audit::{AuditError, AuditSink, StoreFuture},
    permission::{
        ApprovalTerm, Approver, ConfirmationBounds, ConfirmationKey, ConfirmationQuestion, ConfirmationRow,
        ConfirmationState, ConfirmationStore, ConfirmationVerdict, Confirmations, Deny, PendingApprover,
        PermissionQuestion, PermissionVerdict, SqlPermissionStore, SqlStore, confirmation::ConfirmationGate,
    },
    profile::{Confirmation, ToolProfile, hash_tool},
    testing::{Inner, TestCall, code, plain_profile, tokio_clock},
};
use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use mgp_transport::seam::GateLayer;
use mgp_transport::seam::RefusalKind;
use mgp_types::{
    audit::AuditEvent,
    context::{Principal, TraceId},
    json::{Nullable, RawJson},
    mcp::Tool,
    tool_metadata::{CallEstimate, MeasuredLatency},
};
use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};
use tower::{Layer, ServiceExt};

#[tokio::test]
async fn an_unanswered_call_becomes_a_question_with_its_details() {
    let gate = Gate::unattended();
    let call = dangerous(r#"{"path":"/x","content":"y"}"#);
    let record = call.record.clone();
    let reply = gate.call(call).await;
    let rows = gate.confirmations.pending().await.unwrap();
    let row = &rows[0];
    assert!(row.id.starts_with("conf-"), "{row:?}");
    assert_eq!((&*row.key.agent_id, &*row.key.server_id, &*row.key.tool_name), ("a", "s", "t"));
    assert_eq!(row.arguments.as_str(), r#"{"path":"/x","content":"y"}"#);
    assert!(row.reason.contains("dangerous") && !row.every_time);
    let day = row.expires_at.unwrap().duration_since(row.asked_at).as_hours();
    assert!((23..=24).contains(&day), "{row:?}");
    let text = message(&reply);
    for part in ["\"t\"", "agent \"a\"", &format!("`mgp approve {}`", row.id), "--for 8h", "same arguments"] {
        assert!(text.contains(part), "{part} in {text}");
    }
    let data = reply.as_error().unwrap().data.as_ref().unwrap().as_str();
    let details = format!(r#""details":{{"request_id":"{}","state":"open","agent_id":"a""#, row.id);
    assert!(data.contains(&details), "{data}");
    assert_eq!((code(&reply), gate.inner.reached()), (Some(1000), 0));
    assert_eq!(record.read().refusal.unwrap().kind, RefusalKind::Confirmation);
}

#[tokio::test]
async fn an_open_question_has_the_estimate_of_the_latest_call() {
    let mut gate = Gate::unattended();
    let calls = Arc::new(AtomicU64::new(1));
    let counted = calls.clone();
    gate.gate = gate.gate.estimates(move |_| CallEstimate {
        measured_latency: Some(MeasuredLatency {
            calls: counted.fetch_add(1, Ordering::Relaxed) + 10,
            p50_ms: 1000,
            p95_ms: 2000,
        }),
        ..CallEstimate::default()
    });
    let mut estimates = Vec::new();
    for _ in 0..2 {
        gate.call(dangerous("{}")).await;
        estimates.push(gate.confirmations.pending().await.unwrap()[0].estimate.clone().unwrap());
    }
    assert!(estimates[0].contains("11") && estimates[1].contains("12"), "{estimates:?}");
    assert_eq!(gate.needed().len(), 1, "it is one question");
}

#[tokio::test]
async fn an_approval_of_one_call_is_used_up_by_that_call() {
    let gate = Gate::unattended();
    let mut call = dangerous(r#"{"a":1,"b":[2]}"#);
    call.call.trace = TraceId::new("trace");
    gate.call(call).await;
    let (id, before) = (gate.question().await, Timestamp::now());
    let row = gate.confirmations.approve(&id, ApprovalTerm::Once, &operator()).await.unwrap();
    assert_eq!((row.state, row.decided_by.as_deref()), (ConfirmationState::ApprovedOnce, Some("ann")));
    assert!(row.decided_at.is_some_and(|at| before <= at && at <= Timestamp::now()), "{row:?}");
    assert!(ConfirmationState::ALL.iter().all(|state| state.to_string() == state.as_str()));
    // The same arguments in another spelling.
    let again = dangerous(r#"{ "b": [2], "\u0061": 1 }"#);
    let record = again.record.clone();
    assert_eq!(gate.outcome(again).await, (None, 1));
    let how = record.read().details.into_iter().find(|(key, _)| *key == "confirmation").unwrap().1;
    assert_eq!(how.as_str(), format!(r#"{{"id":"{id}","by":"ann","term":"once"}}"#));
    assert_eq!(gate.outcome(dangerous(r#"{"a":1,"b":[2]}"#)).await, (Some(1000), 1));
    let anew = gate.question().await;
    assert_ne!(anew, id, "it is asked anew");
    assert_eq!(gate.outcome(dangerous(r#"{"a":1,"b":[2]}"#)).await, (Some(1000), 1));
    assert_eq!(gate.needed(), [id.clone(), anew], "each question is told once");
    assert_eq!(gate.events(), ["dev.cloto.mgp.CALL_APPROVED SUCCESS"]);
    let event = gate.sink.events().remove(2);
    assert_eq!(event.trace_id, Nullable::Value("trace".into()), "that of the call that asked");
    let details = event.details.unwrap();
    assert_eq!(details.text("request_id").as_deref(), Some(&*id));
    assert_eq!(details.text("term").as_deref(), Some("once"));
}

#[tokio::test]
async fn an_approval_holds_only_for_that_call() {
    let gate = Gate::unattended();
    gate.call(dangerous(r#"{"a":1}"#)).await;
    let id = gate.question().await;
    gate.confirmations.approve(&id, ApprovalTerm::Always, &operator()).await.unwrap();
    for reached in 1..=3 {
        assert_eq!(gate.outcome(dangerous(r#"{"a":1}"#)).await, (None, reached));
    }
    let other_definition = {
        let tool =
            Tool { description: Some("now deletes".into()), ..Tool::new("t", RawJson::empty_object()) };
        let profile = ToolProfile {
            confirmation: Confirmation::UnlessApproved,
            definition: hash_tool(&tool),
            ..plain_profile()
        };
        TestCall::new(r#"{"arguments":{"a":1}}"#).profile(profile).principal("a")
    };
    let others = [
        dangerous(r#"{"a":2}"#),
        dangerous("{}"),
        dangerous(r#"{"a":1}"#).principal("b"),
        other_definition,
        // A request cannot approve itself.
        calling(
            Confirmation::UnlessApproved,
            r#"{"arguments":{"a":3},"user_confirmed":true,"_mgp":{"user_confirmed":true},"_meta":{"user_confirmed":true}}"#,
        ),
    ];
    for other in others {
        assert_eq!(gate.outcome(other).await, (Some(1000), 3));
    }
    assert_eq!(gate.confirmations.pending().await.unwrap().len(), 5);
}

#[tokio::test(start_paused = true)]
async fn an_approval_for_a_time_ends_with_it() {
    let gate = Gate::by_clock(Arc::new(SqlPermissionStore::in_memory()), Arc::new(Deny), tokio_clock);
    gate.call(dangerous("{}")).await;
    let id = gate.question().await;
    let over = ApprovalTerm::Until(tokio_clock() - SignedDuration::from_secs(1));
    let refused = gate.confirmations.approve(&id, over, &operator()).await.unwrap_err();
    assert!(refused.code == -32602 && refused.message.contains("expires_at"), "{refused}");
    let end = tokio_clock() + SignedDuration::from_secs(10);
    gate.confirmations.approve(&id, ApprovalTerm::Until(end), &operator()).await.unwrap();
    assert_eq!(gate.outcome(dangerous("{}")).await, (None, 1));
    tokio::time::sleep(Duration::from_secs(10)).await;
    assert_eq!(gate.outcome(dangerous("{}")).await, (Some(1000), 1));
    assert_ne!(gate.question().await, id);
}

#[tokio::test]
async fn a_denied_call_is_refused_until_the_denial_is_withdrawn() {
    let gate = Gate::unattended();
    gate.call(dangerous("{}")).await;
    let id = gate.question().await;
    gate.confirmations.deny(&id, &operator()).await.unwrap();
    let text = message(&gate.call(dangerous("{}")).await);
    for part in ["was denied by \"ann\"", &id, "--revoke"] {
        assert!(text.contains(part), "{part} in {text}");
    }
    let taken = gate.confirmations.revoke(&id, &operator()).await.unwrap().unwrap();
    assert_eq!((taken.id, taken.state), (id.clone(), ConfirmationState::Denied));
    let waits = message(&gate.call(dangerous("{}")).await);
    // The refusal states the reason, in the words of the question.
    let why = dangerous("{}").identified().profile.confirmation_reason();
    assert!(waits.contains("waits for an approval") && waits.ends_with(&format!("because {why}")), "{waits}");
    let approved = gate.question().await;
    gate.confirmations.approve(&approved, ApprovalTerm::Always, &operator()).await.unwrap();
    gate.confirmations.revoke(&approved, &operator()).await.unwrap();
    assert_eq!(gate.outcome(dangerous("{}")).await, (Some(1000), 0));
    assert_eq!(
        gate.events(),
        [
            "dev.cloto.mgp.CALL_DENIED BLOCKED",
            "dev.cloto.mgp.CALL_DENIAL_REVOKED SUCCESS",
            "dev.cloto.mgp.CALL_APPROVED SUCCESS",
            "dev.cloto.mgp.CALL_APPROVAL_REVOKED SUCCESS"
        ]
    );
}

#[tokio::test]
async fn only_an_admin_decides_and_only_on_existing_questions() {
    let gate = Gate::unattended();
    gate.call(dangerous("{}")).await;
    let (id, agent) = (gate.question().await, Principal::agent("a"));
    let codes = [
        gate.confirmations.approve(&id, ApprovalTerm::Once, &agent).await.unwrap_err().code,
        gate.confirmations.deny(&id, &agent).await.unwrap_err().code,
        gate.confirmations.revoke(&id, &agent).await.unwrap_err().code,
        gate.confirmations.approve("conf-1", ApprovalTerm::Once, &operator()).await.unwrap_err().code,
        gate.confirmations.deny("conf-1", &operator()).await.unwrap_err().code,
    ];
    assert_eq!(codes, [1000, 1000, 1000, -32602, -32602]);
    assert_eq!(gate.confirmations.revoke("conf-1", &operator()).await.unwrap(), None);
    assert_eq!((gate.question().await, gate.events().len()), (id, 0));
}

#[tokio::test]
async fn a_tool_that_always_asks_is_approved_for_one_call_at_most() {
    let gate = Gate::unattended();
    let call = || calling(Confirmation::Always, "{}");
    let text = message(&gate.call(call()).await);
    assert!(text.contains("approves it once") && !text.contains("--always"), "{text}");
    let id = gate.question().await;
    for term in [ApprovalTerm::Always, ApprovalTerm::Until(Timestamp::MAX)] {
        let refused = gate.confirmations.approve(&id, term, &operator()).await.unwrap_err();
        assert!(
            refused.code == 1000 && refused.message.contains("confirmation = \"dangerous\""),
            "{refused}"
        );
    }
    gate.confirmations.approve(&id, ApprovalTerm::Once, &operator()).await.unwrap();
    assert_eq!(gate.outcome(call()).await, (None, 1));
    assert_eq!(gate.outcome(call()).await, (Some(1000), 1));
    // A longer term in an approver's answer makes no difference.
    let asked = Gate::asking(FixedAnswer::approved(ApprovalTerm::Always));
    for reached in 1..=2 {
        assert_eq!(asked.outcome(call()).await, (None, reached));
    }
    assert_eq!((asked.confirmations.rows().await.unwrap(), asked.events().len()), (vec![], 0));
}

#[tokio::test(start_paused = true)]
async fn a_waiting_call_continues_when_another_process_approves() {
    let store = Arc::new(SqlPermissionStore::in_memory());
    let here = Gate::over(store.clone(), Arc::new(PendingApprover));
    let there = Gate::over(store, Arc::new(PendingApprover));
    let waiting = {
        let here = here.clone();
        tokio::spawn(async move { here.outcome(dangerous("{}")).await })
    };
    tokio::time::sleep(Duration::from_secs(10)).await;
    let id = there.question().await;
    there.confirmations.approve(&id, ApprovalTerm::Once, &operator()).await.unwrap();
    let approved = tokio::time::Instant::now();
    assert_eq!(waiting.await.unwrap(), (None, 1));
    assert!(approved.elapsed() <= Duration::from_millis(200), "{:?}", approved.elapsed());
    assert_eq!(there.confirmations.rows().await.unwrap(), []);
}

#[tokio::test(start_paused = true)]
async fn one_approval_releases_one_of_two_equal_waiting_calls() {
    let gate = Gate::asking(PendingApprover);
    let call = || {
        let gate = gate.clone();
        tokio::spawn(async move { code(&gate.call(dangerous("{}")).await) })
    };
    let calls = [call(), call()];
    tokio::time::sleep(Duration::from_secs(1)).await;
    let id = gate.question().await;
    gate.confirmations.approve(&id, ApprovalTerm::Once, &operator()).await.unwrap();
    let mut codes = Vec::new();
    for call in calls {
        codes.push(call.await.unwrap());
    }
    codes.sort_unstable();
    assert_eq!((codes, gate.inner.reached()), (vec![None, Some(1000)], 1));
    assert_ne!(gate.question().await, id);
}

#[tokio::test(start_paused = true)]
async fn a_denial_from_another_process_ends_a_wait() {
    let gate = Gate::asking(PendingApprover);
    let waiting = {
        let gate = gate.clone();
        tokio::spawn(async move { message(&gate.call(dangerous("{}")).await) })
    };
    tokio::time::sleep(Duration::from_secs(1)).await;
    gate.confirmations.deny(&gate.question().await, &operator()).await.unwrap();
    assert!(waiting.await.unwrap().contains("was denied by"));
}

#[tokio::test]
async fn a_host_s_answer_holds_until_its_end() {
    let once = Gate::asking(FixedAnswer::approved(ApprovalTerm::Once));
    let call = dangerous("{}");
    let record = call.record.clone();
    assert_eq!(once.outcome(call).await, (None, 1));
    let how = record.read().details.remove(0).1;
    assert!(how.as_str().ends_with(r#","by":"ben","term":"once"}"#), "{how}");
    assert_eq!((once.confirmations.rows().await.unwrap(), once.events().len()), (vec![], 0));

    let says = FixedAnswer::approved(ApprovalTerm::Always);
    let asked = says.questions.clone();
    let always = Gate::asking(says);
    for reached in 1..=3 {
        assert_eq!(always.outcome(dangerous("{}")).await, (None, reached));
    }
    assert_eq!(asked.lock().len(), 1);
    assert!(asked.lock()[0].request_id.as_ref().unwrap().starts_with("conf-"));
    assert_eq!(always.events(), ["dev.cloto.mgp.CALL_APPROVED SUCCESS"]);
    assert_eq!(always.confirmations.rows().await.unwrap()[0].term(), Some(ApprovalTerm::Always));

    let declined = Gate::asking(FixedAnswer::denied());
    let reply = declined.call(dangerous("{}")).await;
    let text = message(&reply);
    assert!(text.contains("\"ben\" declined it"), "{text}");
    let data = reply.as_error().unwrap().data.as_ref().unwrap().as_str();
    assert!(data.contains(r#""state":"denied""#), "{data}");
    assert_eq!(declined.confirmations.rows().await.unwrap(), []);
}

#[tokio::test]
async fn a_removed_server_s_questions_and_approvals_go_with_it() {
    let store = Arc::new(SqlPermissionStore::in_memory());
    let gate = Gate::over(store.clone(), Arc::new(Deny));
    for arguments in [r#"{"n":1}"#, r#"{"n":2}"#, r#"{"n":3}"#] {
        gate.call(dangerous(arguments)).await;
    }
    let rows = gate.confirmations.pending().await.unwrap();
    let other = ConfirmationRow {
        id: "conf-other".into(),
        key: ConfirmationKey { server_id: "other".into(), ..rows[0].key.clone() },
        ..rows[0].clone()
    };
    store.ask_confirmation(other, ConfirmationBounds::default()).await.unwrap();
    gate.confirmations.approve(&rows[1].id, ApprovalTerm::Always, &operator()).await.unwrap();
    gate.confirmations.deny(&rows[2].id, &operator()).await.unwrap();
    gate.confirmations.forget_server("s", &operator()).await.unwrap();
    let mut left: Vec<_> = gate.confirmations.rows().await.unwrap().into_iter().map(|row| row.id).collect();
    left.sort_by_key(|id| id == "conf-other");
    assert_eq!(left, [&*rows[2].id, "conf-other"]);
}

/// A sink that fails to store every event.
#[derive(Debug)]
struct Full;

impl AuditSink for Full {
    fn record(&self, _: AuditEvent) -> StoreFuture {
        StoreFuture::ready(Err(AuditError::new("the disk is full")))
    }
}

#[tokio::test]
async fn an_approval_that_cannot_be_recorded_does_not_hold() {
    let store = Arc::new(SqlPermissionStore::in_memory());
    let confirmations = Confirmations::open(store, Arc::new(Full), Confirmations::LIFETIME);
    let approver = Arc::new(FixedAnswer::approved(ApprovalTerm::Always));
    let inner = Inner::new();
    let service = GateLayer::new(ConfirmationGate::new(approver, confirmations.clone())).layer(inner.clone());
    let reply = service.oneshot(dangerous("{}").identified()).await.unwrap();
    assert_eq!((code(&reply), inner.reached()), (Some(-32603), 0));
    let id = confirmations.pending().await.unwrap()[0].id.clone();
    let refused = confirmations.approve(&id, ApprovalTerm::Once, &operator()).await.unwrap_err();
    assert!(refused.message.contains("the disk is full"), "{refused}");
    assert_eq!(confirmations.pending().await.unwrap().len(), 1);
}

/// An approver that approves once, after an operator has denied the same call.
#[derive(Debug)]
struct TooLate(Confirmations);

#[async_trait]
impl Approver for TooLate {
    async fn permission(&self, _: &PermissionQuestion) -> PermissionVerdict {
        PermissionVerdict::Deferred
    }

    async fn confirm(&self, question: &ConfirmationQuestion) -> ConfirmationVerdict {
        self.0.deny(question.request_id.as_ref().unwrap(), &operator()).await.unwrap();
        ConfirmationVerdict::Approved { by: "ben".into(), term: ApprovalTerm::Once }
    }
}

#[tokio::test]
async fn an_operator_s_denial_overrides_a_later_answer_of_a_host() {
    let gate = Gate::unattended();
    let approver = Arc::new(TooLate(gate.confirmations.clone()));
    let gate = Gate { gate: ConfirmationGate::new(approver, gate.confirmations.clone()), ..gate };
    let text = message(&gate.call(dangerous("{}")).await);
    assert!(text.contains("was denied by \"ann\""), "{text}");
    assert_eq!(gate.inner.reached(), 0);
}

#[tokio::test]
async fn calls_are_alike_only_within_one_session() {
    let gate = Gate::unattended();
    for arguments in [r#"{"n":1}"#, r#"{"n":2}"#] {
        gate.call(dangerous(arguments)).await;
    }
    let rows = gate.confirmations.pending().await.unwrap();
    let of = |at: usize, session: Option<&str>| ConfirmationRow {
        session: session.map(str::to_owned),
        ..rows[at].clone()
    };
    for (one, other, expected) in [
        (Some("s"), Some("s"), true),
        (Some("s"), Some("t"), false),
        (Some("s"), None, false),
        (None, None, false),
    ] {
        assert_eq!(of(0, one).is_alike(&of(1, other)), expected, "{one:?} {other:?}");
    }
}
