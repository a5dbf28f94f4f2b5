//! A dry run says what the real call meets: shown on 1,000 generated combinations of rights, policies, answers, limits and arguments.

use crate::support::{Setup, code, json, pause_clock, rule, start, within};
use async_trait::async_trait;
use mgp_client_sdk::client::Client;
use mgp_discovery::config::{CallerLimit, LimitsConfig, TargetLimit};
use mgp_kernel::{Endpoint, InProcess, ServerSpec};
use mgp_security::permission::{
    ApprovalTerm, Approver, ConfirmationQuestion, ConfirmationVerdict, PermissionQuestion, PermissionVerdict,
};
use mgp_server_sdk::{Server, Tool, extract::Args};
use mgp_types::{
    access::{AccessDecision, AccessEntry, DefaultPolicy},
    context::Principal,
    error::ErrorCode,
    mcp::CallToolResult,
    negotiation::ExtensionSet,
    permission::PermissionPolicy,
    tool_check::{CheckToolResult, QuestionKind},
};
use parking_lot::Mutex;
use schemars::JsonSchema;
use serde::Deserialize;
use std::{
    num::{NonZeroU32, NonZeroU64},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

const COMBINATIONS: usize = 1_000;
const SEED: u64 = 49;

/// An approver that answers every question in the same way, and keeps its kind.
#[derive(Debug, Clone)]
struct Judge {
    yes: bool,
    asked: Arc<Mutex<Vec<QuestionKind>>>,
}

#[async_trait]
impl Approver for Judge {
    async fn permission(&self, _: &PermissionQuestion) -> PermissionVerdict {
        self.asked.lock().push(QuestionKind::Permission);
        match self.yes {
            true => PermissionVerdict::Approved { by: "ann".into(), expires_at: None },
            false => PermissionVerdict::Deferred,
        }
    }

    async fn confirm(&self, _: &ConfirmationQuestion) -> ConfirmationVerdict {
        self.asked.lock().push(QuestionKind::Confirmation);
        match self.yes {
            true => ConfirmationVerdict::Approved { by: "ann".into(), term: ApprovalTerm::Once },
            false => ConfirmationVerdict::Denied { by: "ann".into() },
        }
    }
}

/// A kernel with a policy and an approver, and the number of calls that its server got.
struct World {
    setup: Setup,
    judge: Judge,
    sent: Arc<AtomicUsize>,
    hosts: Vec<Client>,
}

#[derive(Deserialize, JsonSchema)]
struct Add {
    a: f64,
    b: f64,
}

#[derive(Deserialize, JsonSchema)]
struct Shell {
    command: String,
}

#[derive(Deserialize, JsonSchema)]
struct Steps {
    steps: u32,
}

/// Returns a server that counts the calls that it gets.
fn server(sent: &Arc<AtomicUsize>) -> Endpoint {
    let count = || {
        let sent = sent.clone();
        move || sent.fetch_add(1, Ordering::SeqCst)
    };
    let (add, shell, steps, secret) = (count(), count(), count(), count());
    let stack = Server::new("test", "1.0.0")
        .tool(Tool::new("add", "Adds two numbers", move |Args(Add { a, b }): Args<Add>| {
            add();
            async move { (a + b).to_string() }
        }))
        .tool(Tool::new(
            "run_shell",
            "Runs a command in a shell",
            move |Args(Shell { command }): Args<Shell>| {
                shell();
                async move { command }
            },
        ))
        .tool(Tool::new(
            "count",
            "Counts upwards, step by step",
            move |Args(Steps { steps: n }): Args<Steps>| {
                steps();
                async move { n.to_string() }
            },
        ))
        .tool(
            Tool::new("secret", "Needs a camera", move || {
                secret();
                async { "a picture" }
            })
            .permissions(["camera"]),
        )
        .build()
        .unwrap();
    Endpoint::InProcess(InProcess::new(move || stack.in_process()))
}

const AGENTS: [&str; 4] = ["agent.test", "reader", "stranger", "denied"];

/// Returns limits, each of which is used up at some time: of an agent, of a server and of a tool, a minute and a day.
fn limits() -> LimitsConfig {
    let (one, three) = (Some(NonZeroU32::MIN), NonZeroU32::new(3));
    let per_minute = TargetLimit { requests_per_minute: one, burst: three, ..TargetLimit::default() };
    let per_day = TargetLimit { units_per_day: Some(NonZeroU64::MIN), ..TargetLimit::default() };
    let of_agent = CallerLimit { requests_per_minute: one, burst: three, ..CallerLimit::default() };
    LimitsConfig {
        agents: [("reader".into(), of_agent)].into(),
        servers: [("test".into(), TargetLimit { per_agent: true, ..per_day.clone() })].into(),
        tools: [("test__add".into(), per_minute), ("test__run_shell".into(), per_day)].into(),
        ..LimitsConfig::default()
    }
}

async fn world(policy: PermissionPolicy, yes: bool, approved: bool, limited: bool) -> World {
    let judge = Judge { yes, asked: Arc::default() };
    let sent = Arc::new(AtomicUsize::new(0));
    let approver = judge.clone();
    let server = server(&sent);
    let setup = start(|kernel, _| {
        let mut spec = ServerSpec::new("test", server);
        spec.default_policy = DefaultPolicy::OptIn;
        kernel.server(spec).approver(approver).config(|config| {
            config.access.conceal = Some(true);
            config.permissions.policy = Some(policy);
            if approved {
                config.permissions.approved.insert("test".into(), vec!["camera".into()]);
            }
            if limited {
                config.limits = limits();
            }
        })
    })
    .await;
    let allow = |agent: &str, tool| {
        let entry = rule("test", tool, AccessDecision::Allow);
        AccessEntry { agent_id: agent.to_owned(), ..entry }
    };
    let access = setup.kernel.access();
    access.put(allow("agent.test", None)).await.unwrap();
    access.put(allow("reader", Some("add"))).await.unwrap();
    access.put(allow("reader", Some("run_shell"))).await.unwrap();
    access.put(allow("denied", None)).await.unwrap();
    let deny = rule("test", Some("secret"), AccessDecision::Deny);
    access.put(AccessEntry { agent_id: "denied".to_owned(), ..deny }).await.unwrap();
    let mut hosts = Vec::new();
    for agent in AGENTS {
        hosts.push(setup.host_that(ExtensionSet::ALL, Principal::agent(agent)).await);
    }
    World { setup, judge, sent, hosts }
}

/// A generator of numbers that are the same in every run (SplitMix64).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn one_of<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        &choices[usize::try_from(self.next() % choices.len() as u64).unwrap()]
    }
}

const TOOLS: [&str; 6] = ["add", "run_shell", "count", "secret", "nothing", "test__add"];
const ARGUMENTS: [&str; 9] = [
    "{}",
    r#"{"a":1,"b":2}"#,
    r#"{"a":1,"b":"two"}"#,
    r#"{"command":"ls"}"#,
    r#"{"command":"rm -rf /"}"#,
    r#"{"command":"frobnicate --now"}"#,
    r#"{"command":7}"#,
    r#"{"steps":2}"#,
    r#"{"steps":2,"x":{"k":1,"k":2}}"#,
];

/// Returns the code that a failed result stands for: that of a validator's rejection, which is its text, or that of arguments which the server
/// refuses.
fn code_in(result: &CallToolResult) -> i64 {
    let text = result.content[0].as_text().unwrap();
    let rejection: Option<serde_json::Value> = serde_json::from_str(text).ok();
    match rejection {
        Some(rejection) => rejection["code"].as_i64().unwrap(),
        None if text.starts_with("invalid arguments") => ErrorCode::InvalidToolArgs.into(),
        None => panic!("a result without a code: {text}"),
    }
}

/// Has a call judged, makes it, and compares. Returns the kind of the outcome.
async fn compare(world: &World, agent: usize, tool: &str, arguments: &'static str) -> &'static str {
    let (host, shown) = (&world.hosts[agent], format!("{} {tool} {arguments}", AGENTS[agent]));
    let (sent, events) = (world.sent.load(Ordering::SeqCst), world.setup.sink.events().len());
    let dry: CheckToolResult = within(host.check_tool(tool, json(arguments))).await.unwrap();
    assert_eq!(world.sent.load(Ordering::SeqCst), sent, "{shown}: the dry run was sent");
    assert!(world.judge.asked.lock().is_empty(), "{shown}: the dry run asked somebody");
    let recorded: Vec<_> = world.setup.sink.events().drain(events..).map(|event| event.event_type).collect();
    assert_eq!(recorded, ["dev.cloto.mgp.TOOL_CHECKED".into()], "{shown}");

    let real = within(host.call_tool(tool, json(arguments))).await;
    let asked = std::mem::take(&mut *world.judge.asked.lock());
    let foreseen: Vec<_> = dry.would_ask.iter().map(|question| question.kind).collect();
    let (passed, refused_with) = match &real {
        Ok(result) if result.failed() => (false, Some(code_in(result))),
        Ok(_) => (true, None),
        Err(error) => (false, Some(code(error))),
    };
    let got = world.sent.load(Ordering::SeqCst) - sent;
    let expected = dry.allowed && (world.judge.yes || foreseen.is_empty());
    assert_eq!((passed, got), (expected, usize::from(expected)), "{shown}: {dry:?} {real:?}");
    if world.judge.yes {
        assert_eq!(asked, foreseen, "{shown}: {dry:?} {real:?}");
    } else {
        // The first no ends the call.
        assert_eq!(asked.first(), foreseen.first(), "{shown}: {dry:?} {real:?}");
    }
    match (&dry.error, refused_with) {
        (Some(error), Some(refused)) if world.judge.yes || foreseen.is_empty() => {
            assert_eq!(error.code, refused, "{shown}: {dry:?} {real:?}");
            match ErrorCode::from_code(refused) {
                Some(ErrorCode::RateLimited) => "too often",
                Some(ErrorCode::QuotaExceeded) => "used up",
                _ => "refused",
            }
        }
        (Some(_), Some(_)) => "refused",
        (None, _) if foreseen.is_empty() => "passed",
        (None, _) => "asked",
        (Some(_), None) => panic!("{shown}: refused by the dry run alone: {dry:?} {real:?}"),
    }
}

#[tokio::test]
async fn a_dry_run_agrees_with_the_real_call_on_1000_combinations() {
    let mut worlds = Vec::new();
    for policy in PermissionPolicy::ALL {
        for (yes, approved) in [(true, false), (false, false), (true, true), (false, true)] {
            for limited in [false, true] {
                worlds.push(world(*policy, yes, approved, limited).await);
            }
        }
    }
    // No call comes back between a dry run and its call.
    let _paused = pause_clock();
    let mut numbers = Numbers(SEED);
    let mut outcomes = std::collections::BTreeMap::new();
    for _ in 0..COMBINATIONS {
        let world = numbers.one_of(&worlds);
        let agent = usize::try_from(numbers.next() % AGENTS.len() as u64).unwrap();
        let (tool, arguments) = (*numbers.one_of(&TOOLS), *numbers.one_of(&ARGUMENTS));
        *outcomes.entry(compare(world, agent, tool, arguments).await).or_insert(0) += 1;
    }
    // Each outcome is well represented, so that the agreement says something.
    for kind in ["passed", "refused", "asked", "too often", "used up"] {
        assert!(outcomes.get(kind).is_some_and(|count| *count >= 10), "{outcomes:?}");
    }
}
