//! Tests of §4.5: the layer, and the parts of the arguments that it checks.

use super::{pool::Pool, *};
use crate::{
    code_safety::CodeRules,
    profile::{ConfiguredTool, ToolFacts, ToolProfile, assess},
    testing::{Inner, TestCall, validators},
};
use mgp_transport::seam::{GateLayer, RefusalKind, Reply};
use mgp_types::{
    code_safety::{self, SafetyLevel},
    context::TrustLevel,
    error::ErrorCode,
    json::{RawJson, RawObject},
    mcp::{CallToolResult, Tool},
    tool_security::ValidatorName,
};
use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
    time::{Duration, Instant},
};
use tower::{Layer, ServiceExt};

fn asking_for(validator: &str, pointers: &[&str]) -> ToolProfile {
    let configured = ConfiguredTool {
        validator: Some(validator.into()),
        pointers: pointers.iter().map(ToString::to_string).collect(),
        ..Default::default()
    };
    let tool = Tool::new("t", RawJson::empty_object());
    assess(&ToolFacts::new(&tool, TrustLevel::Trusted, &[], &configured))
}

pub(super) async fn validated(call: TestCall) -> (Reply, usize) {
    let inner = Inner::new();
    let layer = GateLayer::new(validators());
    let reply = layer.layer(inner.clone()).oneshot(call.identified()).await.unwrap();
    (reply, inner.reached())
}

pub(super) fn calling(arguments: &str, profile: ToolProfile) -> TestCall {
    TestCall::new(&format!(r#"{{"name":"t","arguments":{arguments}}}"#)).profile(profile)
}

/// Returns the rejection in a tool result's first text.
fn rejection(reply: &Reply) -> RawObject {
    let result: CallToolResult = reply.result().unwrap().decode().unwrap();
    assert!(result.failed());
    let first = serde_json::to_string(&result.content[0]).unwrap();
    let text = RawObject::parse(first).unwrap().text("text").unwrap();
    RawObject::parse(text).unwrap()
}

#[tokio::test]
async fn a_refused_call_is_not_sent_and_the_reason_is_given() {
    let call = calling(r#"{"a":{"command":["ls","rm -rf /"]}}"#, asking_for("sandbox", &[]));
    let record = call.record.clone();
    let (reply, reached) = validated(call).await;
    assert_eq!(reached, 0);
    let rejection = rejection(&reply);
    assert_eq!(rejection.text("status").unwrap(), "rejected");
    assert_eq!(rejection.get("code").unwrap().as_str(), "1010");
    assert_eq!(rejection.get("retryable").unwrap().as_str(), "false");
    let violations: Vec<String> = rejection.decode("violations").unwrap().unwrap();
    assert_eq!(violations[0], r#"recursive delete in "/a/command/1": "rm -rf /""#);
    let record = record.read();
    assert_eq!(record.refusal.unwrap().kind, RefusalKind::Validation);
    assert_eq!(record.validator.as_deref(), Some("sandbox"));
}

#[test]
fn every_validator_ends_at_its_time_limit() {
    let leaves = [Leaf::new("/command", "ls"), Leaf::new("/code", "x = 1"), Leaf::new("/sql", "SELECT 1")];
    for name in ["sandbox", "readonly", "network_restricted", "code_safety"] {
        let mut profile = asking_for(name, &["/command", "/code", "/sql"]);
        profile.reads_only = true;
        for deadline in [None, Some(Instant::now())] {
            let input = Input { deadline, ..Input::new(&leaves, &profile) };
            let verdict = match name {
                "sandbox" => Sandbox.check(&input),
                "readonly" => ReadOnly.check(&input),
                "network_restricted" => NetworkRestricted.check(&input),
                _ => CodeSafety.check(&input),
            };
            let is_late =
                matches!(&verdict, Verdict::Refuse(violation) if violation.code == ErrorCode::Timeout);
            assert_eq!(is_late, deadline.is_some(), "{name}: {verdict:?}");
        }
    }
}

#[tokio::test]
async fn a_validator_timeout_names_the_key_that_extends_it() {
    #[derive(Debug)]
    struct Slow;
    impl Validator for Slow {
        fn name(&self) -> &'static str {
            "slow"
        }
        fn check(&self, _: &Input<'_>) -> Verdict {
            std::thread::sleep(Duration::from_millis(5));
            Verdict::Pass
        }
    }
    let call = || calling(r#"{"a":"b"}"#, asking_for("slow", &[])).identified();
    let validators = validators().with(Slow);
    let inner = Inner::new();
    let _ = GateLayer::new(validators.clone()).layer(inner.clone()).oneshot(call()).await.unwrap();
    assert_eq!(inner.reached(), 1);
    let layer = GateLayer::new(validators.timeout(Duration::from_millis(1)));
    let reply = layer.layer(inner.clone()).oneshot(call()).await.unwrap();
    assert_eq!(inner.reached(), 1);
    let rejection = rejection(&reply);
    assert_eq!(rejection.get("code").unwrap().as_str(), "3003");
    assert!(rejection.get("violations").unwrap().as_str().contains("kernel.validation_timeout_ms"));
}

/// A validator that stops only when its verdict is no longer awaited, and reports this.
#[derive(Debug)]
struct Endless(Arc<AtomicUsize>);

impl Validator for Endless {
    fn name(&self) -> &'static str {
        "endless"
    }

    fn check(&self, input: &Input<'_>) -> Verdict {
        if input.leaves.iter().all(|leaf| leaf.text.len() < 1000) {
            return Verdict::Pass;
        }
        while input.in_time().is_ok() {
            std::thread::yield_now();
        }
        self.0.fetch_add(1, SeqCst);
        Verdict::Pass
    }
}

#[tokio::test]
async fn a_long_judgement_delays_no_other_call_and_ends_with_its_own() {
    let ended = Arc::new(AtomicUsize::new(0));
    let validators = validators().with(Endless(ended.clone())).timeout(Duration::from_secs(600));
    let inner = Inner::new();
    let gate = GateLayer::new(validators).layer(inner.clone());
    let call = |length: usize| {
        let arguments = format!(r#"{{"a":"{}"}}"#, "b".repeat(length));
        gate.clone().oneshot(calling(&arguments, asking_for("endless", &[])).identified())
    };
    let mut long = Box::pin(call(100_000));
    assert!(futures_util::poll!(&mut long).is_pending());
    // On the same thread, which is the only one of the runtime.
    let _ = xtask_testing::within(call(10)).await.unwrap();
    assert_eq!((inner.reached(), ended.load(SeqCst)), (1, 0));
    drop(long);
    xtask_testing::until(|| ended.load(SeqCst) == 1).await;
    assert_eq!(inner.reached(), 1);
}

#[tokio::test]
async fn judging_doubts_of_a_long_call_delays_no_other_call() {
    let ended = Arc::new(AtomicUsize::new(0));
    let validators = validators().with(Endless(ended.clone())).timeout(Duration::from_secs(600));
    let arguments = format!(r#"{{"a":"{}"}}"#, "b".repeat(1000));
    let call = calling(&arguments, asking_for("endless", &[])).identified();
    let mut doubt = validators.doubt(&call).unwrap();
    assert!(futures_util::poll!(&mut doubt).is_pending());
    drop(doubt);
    xtask_testing::until(|| ended.load(SeqCst) == 1).await;
}

#[tokio::test]
async fn a_single_validator_s_answer_has_a_time_limit() {
    let ended = Arc::new(AtomicUsize::new(0));
    let validators = validators().with(Endless(ended.clone())).timeout(Duration::from_millis(1));
    let arguments = RawJson::parse(format!(r#"{{"a":"{}"}}"#, "b".repeat(1000))).unwrap();
    let profile = asking_for("endless", &[]);
    let answers = xtask_testing::within(validators.answers("ann", &profile, &arguments)).await;
    let Verdict::Refuse(late) = &answers[0].verdict else { panic!("{answers:?}") };
    assert_eq!(late.code, ErrorCode::Timeout);
}

/// A validator that fails on its own.
#[derive(Debug)]
struct Faulty;

impl Validator for Faulty {
    fn name(&self) -> &'static str {
        "faulty"
    }

    fn check(&self, _: &Input<'_>) -> Verdict {
        panic!("on purpose");
    }
}

#[tokio::test]
async fn a_call_whose_validator_panics_is_refused() {
    let inner = Inner::new();
    let arguments = format!(r#"{{"a":"{}"}}"#, "b".repeat(1000));
    let call = calling(&arguments, asking_for("faulty", &[])).identified();
    let gate = GateLayer::new(validators().with(Faulty)).layer(inner.clone());
    let reply = gate.oneshot(call).await.unwrap();
    assert_eq!(inner.reached(), 0);
    assert!(rejection(&reply).text("reason").unwrap().contains("a validator failed"));
}

const DOUBLE: &str = "def double(n: int) -> int:\n    return 2 * n";

fn rules_of_tools() -> CodeRules {
    CodeRules::of([&code_safety::CodeSafety { level: SafetyLevel::Strict, ..in_python() }])
}

#[tokio::test]
async fn a_caller_s_code_is_read_in_that_caller_s_turn() {
    let ended = Arc::new(AtomicUsize::new(0));
    let mut validators = validators();
    validators.pool = Pool::new(2);
    let validators = validators.with(Endless(ended.clone())).timeout(Duration::from_secs(600));
    let arguments = RawJson::parse(format!(r#"{{"a":"{}"}}"#, "b".repeat(1000))).unwrap();
    let profile = asking_for("endless", &[]);
    let mut judged = Box::pin(validators.answers("ann", &profile, &arguments));
    assert!(futures_util::poll!(&mut judged).is_pending());
    let read = |caller: &'static str| validators.signature(caller, rules_of_tools(), DOUBLE.to_owned(), None);
    let mut of_ann = Box::pin(read("ann"));
    assert!(futures_util::poll!(&mut of_ann).is_pending());
    let of_bob = xtask_testing::within(read("bob")).await.unwrap();
    assert_eq!(of_bob.unwrap().function, "double");
    assert!(futures_util::poll!(&mut of_ann).is_pending(), "ann uses a second thread");
    drop(judged);
    assert_eq!(xtask_testing::within(of_ann).await.unwrap().unwrap().function, "double");
}

#[tokio::test]
async fn a_code_reading_timeout_names_the_key_that_extends_it() {
    let validators = validators().timeout(Duration::ZERO);
    let late = validators.signature("ann", rules_of_tools(), DOUBLE.to_owned(), None).await.unwrap_err();
    assert_eq!(late.code, ErrorCode::Timeout);
    assert!(late.violations[0].contains("kernel.validation_timeout_ms"), "{late:?}");
}

#[tokio::test]
async fn a_harmless_call_reaches_the_server() {
    let call = calling(r#"{"command":"ls -la"}"#, asking_for("sandbox", &[]));
    let record = call.record.clone();
    assert_eq!(validated(call).await.1, 1);
    assert_eq!(record.read().validator.as_deref(), Some("sandbox"));
}

#[tokio::test]
async fn an_unknown_validator_refuses_every_call() {
    let (reply, reached) = validated(calling("{}", asking_for("homemade", &[]))).await;
    assert_eq!(reached, 0);
    let violations: Vec<String> = rejection(&reply).decode("violations").unwrap().unwrap();
    assert_eq!(violations, ["unknown validator \"homemade\""]);
}

#[tokio::test]
async fn code_safety_refuses_code_with_hints() {
    let profile = ToolProfile { code_safety: vec![in_python()], ..asking_for("code_safety", &[]) };
    let call = calling(r#"{"code":"import subprocess"}"#, profile);
    let record = call.record.clone();
    let (reply, reached) = validated(call).await;
    assert_eq!((reached, rejection(&reply).get("code").unwrap().as_str()), (0, "1011"));
    assert_eq!(rejection(&reply).get("hints").unwrap().as_str(), r#"{"blocked_imports":["subprocess"]}"#);
    assert_eq!(record.read().refusal.unwrap().kind, RefusalKind::CodeSafety);
}

fn in_python() -> code_safety::CodeSafety {
    code_safety::CodeSafety { language: Some("python".into()), ..Default::default() }
}

#[tokio::test]
async fn code_must_parse_and_its_neighbours_count_if_they_run() {
    for (arguments, passes) in [
        (r#"{"code":"print(1)"}"#, true),
        (r#"{"code":"print(1)","note":"Prints one, and nothing else.","timeout":5}"#, true),
        (r#"{"code":"print 1 2"}"#, false),
        (r#"{"code":"print(1)","setup":"import subprocess"}"#, false),
        (r#"{"setup":"not python at all"}"#, false),
        (r#"{"code":{"import subprocess":1}}"#, false),
    ] {
        let profile = ToolProfile { code_safety: vec![in_python()], ..asking_for("code_safety", &[]) };
        assert_eq!(validated(calling(arguments, profile)).await.1, usize::from(passes), "{arguments}");
    }
}

#[tokio::test]
async fn code_in_no_declared_language_is_judged_in_every_language() {
    for (code, passes) in [("import subprocess", false), ("print(1)", true), ("= no language =", true)] {
        let call = calling(&format!(r#"{{"code":"{code}"}}"#), asking_for("code_safety", &[]));
        assert_eq!(validated(call).await.1, usize::from(passes), "{code}");
    }
}

#[tokio::test]
async fn a_tool_without_a_validator_passes_unread() {
    for profile in [asking_for("none", &[]), crate::testing::plain_profile()] {
        assert_eq!(validated(calling(r#"{"command":"rm -rf /","command":"x"}"#, profile)).await.1, 1);
    }
}

#[tokio::test]
async fn ambiguous_arguments_are_refused() {
    let deep = format!("{}\"ls\"{}", "[".repeat(120), "]".repeat(120));
    for (arguments, fine) in [
        (r#"{"command":"ls","command":"rm -rf /"}"#, false),
        (r#"{"x":{"command":"ls","\u0063ommand":"rm"}}"#, false),
        (r#"{},"arguments":{"command":"rm -rf /"}"#, false),
        (&deep, true),
    ] {
        let (reply, reached) = validated(calling(arguments, asking_for("sandbox", &[]))).await;
        assert_eq!(reached, usize::from(fine), "{arguments}");
        assert_eq!(reply.result().unwrap().as_str().contains("cannot be read"), !fine, "{arguments}");
    }
}

#[tokio::test]
async fn configured_pointers_narrow_the_checked_values() {
    let arguments = r#"{"command":"ls","note":"a; rm -rf /"}"#;
    assert_eq!(validated(calling(arguments, asking_for("sandbox", &["/command"]))).await.1, 1);
    assert_eq!(validated(calling(arguments, asking_for("sandbox", &["/note"]))).await.1, 0);
    assert_eq!(validated(calling(arguments, asking_for("sandbox", &[]))).await.1, 0);
}

#[tokio::test]
async fn names_repeated_for_each_of_many_values_are_refused() {
    let ones = |count| vec!["1"; count].join(",");
    let many = format!(r#"{{"{}":[{}]}}"#, "x".repeat(1 << 15), ones(1 << 13));
    let (reply, reached) = validated(calling(&many, asking_for("network_restricted", &[]))).await;
    assert_eq!(reached, 0, "256 MiB of pointers");
    let rejection = rejection(&reply);
    assert!(rejection.text("reason").unwrap().contains("cannot be read"), "{rejection:?}");
    let violations: Vec<String> = rejection.decode("violations").unwrap().unwrap();
    assert!(violations[0].contains("members' names"), "{violations:?}");
    let ordinary = format!(r#"{{"samples":{{"of_the_first_channel":[{}]}}}}"#, ones(1 << 16));
    let (_, reached) = validated(calling(&ordinary, asking_for("network_restricted", &[]))).await;
    assert_eq!(reached, 1);
}

#[tokio::test]
async fn the_sandbox_judges_a_tool_with_unreadable_security() {
    let text = r#"{"name":"deploy","inputSchema":{"properties":{"target":{"type":"string"}}},"security":{"risk_level":7}}"#;
    let tool: Tool = RawJson::parse(text).unwrap().decode().unwrap();
    let none = ConfiguredTool::default();
    let profile = assess(&ToolFacts::new(&tool, TrustLevel::Standard, &[], &none));
    for (target, expected) in [("x; rm -rf /", 0), ("production", 1)] {
        let call = calling(&format!(r#"{{"target":"{target}"}}"#), profile.clone());
        assert_eq!(validated(call).await.1, expected, "{target}");
    }
}

#[tokio::test]
async fn each_validator_answers_even_after_another_has_refused() {
    let names = ["sandbox", "homemade", "none", "network_restricted"];
    let validators = names.map(ValidatorName::from).to_vec();
    let profile = ToolProfile { validators, takes_commands: true, ..asking_for("sandbox", &[]) };
    let arguments = RawJson::parse(r#"{"command":"rm -rf /"}"#).unwrap();
    let answers = Validators::standard().answers("ann", &profile, &arguments).await;
    let passes = |answer: &ValidatorAnswer| answer.verdict == Verdict::Pass;
    let answers: Vec<_> = answers.iter().map(|answer| (answer.validator.as_str(), passes(answer))).collect();
    assert_eq!(answers, [("sandbox", false), ("homemade", false), ("network_restricted", true)]);
}
