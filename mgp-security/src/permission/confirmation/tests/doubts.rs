//! Tests of calls that a validator doubts.

use super::rig::{FixedAnswer, Gate, message, operator};
use crate::{
    permission::{ApprovalTerm, ArgumentsPattern, ConfirmationGate},
    profile::{ConfiguredTool, Confirmation, ToolFacts, ToolProfile, assess},
    testing::{Inner, TestCall, code, validators},
};
use mgp_transport::seam::{GateLayer, RefusalKind, Reply};
use mgp_types::{context::TrustLevel, json::RawJson, mcp::Tool, tool_security::SandboxSettings};
use tower::{Layer, ServiceExt};

const UNKNOWN: &str = r#"{"command":"frobnicate --now"}"#;

fn shell(programs: &[&str]) -> ToolProfile {
    let configured = ConfiguredTool {
        validator: Some("sandbox".into()),
        sandbox: SandboxSettings {
            programs: programs.iter().map(ToString::to_string).collect(),
            ..SandboxSettings::default()
        },
        ..Default::default()
    };
    assess(&ToolFacts::new(&Tool::new("t", RawJson::empty_object()), TrustLevel::Trusted, &[], &configured))
}

pub(super) fn calling(arguments: &str) -> TestCall {
    TestCall::new(&format!(r#"{{"arguments":{arguments}}}"#)).profile(shell(&[])).principal("a")
}

fn doubting(gate: &Gate) -> ConfirmationGate {
    let validators = validators();
    gate.gate.clone().doubts(move |call| validators.doubt(call))
}

/// Makes a call through both gates. Returns the answer, and the number of calls that reached the tool.
async fn call(gate: &Gate, call: TestCall) -> (Reply, usize) {
    let inner = Inner::new();
    let judged = GateLayer::new(validators()).layer(inner.clone());
    let asked = GateLayer::new(doubting(gate)).layer(judged);
    (asked.oneshot(call.identified()).await.unwrap(), inner.reached())
}

#[tokio::test]
async fn a_doubtful_call_needs_an_approval() {
    let yes = FixedAnswer::approved(ApprovalTerm::Once);
    let gate = Gate::asking(yes.clone());
    assert_eq!(call(&gate, calling(UNKNOWN)).await.1, 1);
    let reason = yes.questions.lock()[0].reason.clone();
    assert!(reason.contains("frobnicate") && reason.contains("[servers.mgp.sandbox]"), "{reason}");
    assert!(!reason.contains("the tool is dangerous"), "{reason}");
    assert_eq!(call(&Gate::asking(FixedAnswer::denied()), calling(UNKNOWN)).await.1, 0);
}

#[tokio::test]
async fn an_unanswered_doubtful_call_becomes_a_question() {
    let gate = Gate::unattended();
    let (reply, reached) = call(&gate, calling(UNKNOWN)).await;
    assert_eq!((code(&reply), reached), (Some(1000), 0));
    assert!(message(&reply).contains("mgp approve"), "{}", message(&reply));
    let id = gate.question().await;
    gate.confirmations.approve(&id, ApprovalTerm::Always, &operator()).await.unwrap();
    assert_eq!(call(&gate, calling(UNKNOWN)).await.1, 1);
    assert_eq!(call(&gate, calling(r#"{"command":"frobnicate --other"}"#)).await.1, 0);
}

#[tokio::test]
async fn harmless_and_harmful_calls_ask_nobody() {
    let yes = FixedAnswer::approved(ApprovalTerm::Once);
    let gate = Gate::asking(yes.clone());
    assert_eq!(call(&gate, calling(r#"{"command":"ls | wc -l"}"#)).await.1, 1);
    assert_eq!(call(&gate, calling(r#"{"command":"rm -rf /"}"#)).await.1, 0);
    assert!(yes.questions.lock().is_empty());
}

#[tokio::test]
async fn a_program_named_by_the_operator_passes_unasked() {
    let gate = Gate::unattended();
    for (programs, passes) in [
        (&["frobnicate"][..], true),
        (&["frobnicate --now"], true),
        (&["frobnicate --other"], false),
        (&[""], false),
    ] {
        let (_, reached) = call(&gate, calling(UNKNOWN).profile(shell(programs))).await;
        assert_eq!(reached == 1, passes, "{programs:?}");
    }
}

#[tokio::test]
async fn the_question_about_a_dangerous_tool_includes_the_doubt() {
    let yes = FixedAnswer::approved(ApprovalTerm::Once);
    let gate = Gate::asking(yes.clone());
    let profile = ToolProfile { confirmation: Confirmation::Always, ..shell(&[]) };
    assert_eq!(call(&gate, calling(UNKNOWN).profile(profile)).await.1, 1);
    let questions = yes.questions.lock();
    assert_eq!(questions.len(), 1);
    assert!(questions[0].reason.contains("every call") && questions[0].reason.contains("frobnicate"));
}

#[tokio::test]
async fn without_a_gate_that_asks_a_doubtful_call_is_refused() {
    let inner = Inner::new();
    let call = calling(UNKNOWN);
    let record = call.record.clone();
    GateLayer::new(validators()).layer(inner.clone()).oneshot(call.identified()).await.unwrap();
    assert_eq!(inner.reached(), 0);
    assert_eq!(record.read().refusal.unwrap().kind, RefusalKind::Validation);
}

#[tokio::test]
async fn a_confirmation_of_another_call_does_not_count() {
    for (tool, arguments, passes) in [("t", UNKNOWN, true), ("t", "{}", false), ("u", UNKNOWN, false)] {
        let inner = Inner::new();
        let call = calling(UNKNOWN);
        let digest = crate::canonical::digest(&RawJson::parse(arguments.to_owned()).unwrap());
        let tool = mgp_types::context::ToolId::new("s", tool);
        call.record.update(|record| record.confirmed = Some((tool, digest)));
        GateLayer::new(validators()).layer(inner.clone()).oneshot(call.identified()).await.unwrap();
        assert_eq!(inner.reached() == 1, passes, "{arguments}");
    }
}

#[tokio::test]
async fn a_pattern_covers_only_the_doubt_it_was_approved_with() {
    let gate = Gate::unattended();
    call(&gate, calling(r#"{"command":"frobnicate one"}"#)).await;
    let id = gate.question().await;
    let arguments = RawJson::parse(r#"{"command":"frobnicate one"}"#).unwrap();
    let pattern = ArgumentsPattern::of_arguments(&arguments, &["frobnicate *"]).unwrap();
    gate.confirmations.approve_like(&id, ApprovalTerm::Always, Some(pattern), &operator()).await.unwrap();
    assert_eq!(call(&gate, calling(r#"{"command":"frobnicate two"}"#)).await.1, 1);

    let gate = Gate::unattended();
    let git = |text: &str| {
        let profile = ToolProfile { confirmation: Confirmation::UnlessApproved, ..shell(&[]) };
        TestCall::new(&format!(r#"{{"arguments":{{"command":"{text}"}}}}"#)).profile(profile).principal("a")
    };
    call(&gate, git("git log -1")).await;
    let id = gate.question().await;
    let arguments = RawJson::parse(r#"{"command":"git log -1"}"#).unwrap();
    let pattern = ArgumentsPattern::of_arguments(&arguments, &["git log *"]).unwrap();
    gate.confirmations.approve_like(&id, ApprovalTerm::Always, Some(pattern), &operator()).await.unwrap();
    assert_eq!(call(&gate, git("git log --stat")).await.1, 1);
    assert_eq!(call(&gate, git("git log --output=/home/ann/.bashrc")).await.1, 0, "it writes");
}
