//! Policies of access control in the whole pipeline: what they see, what hosts are shown, and what a refusal says.

use crate::{
    raw_host::As,
    support::{Setup, full, rule, spec, start},
};
use mgp_kernel::{AccessPolicy, AccessRequest, CallArguments, Era, PolicyDecision};
use mgp_transport::seam::{Decision, ToolCall};
use mgp_types::{
    access::{AccessDecision, DefaultPolicy},
    context::RiskLevel,
};
use serde_json::{Value, json};
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

/// Allows calls of `add` whose first number is small. It is written by hand, so that the kernel is tested without a language.
#[derive(Debug)]
struct SmallNumbers;

impl AccessPolicy for SmallNumbers {
    fn decide(&self, request: &AccessRequest<'_>) -> Option<PolicyDecision> {
        let tool = request.tool.filter(|tool| tool.name == "add")?;
        assert!(tool.profile.is_some_and(|profile| profile.risk <= RiskLevel::Dangerous), "it is known");
        let small = match tool.arguments {
            CallArguments::Any => true,
            CallArguments::Given(arguments) => {
                let arguments: Value = arguments?.decode().ok()?;
                arguments["a"].as_i64().is_some_and(|number| number < 10)
            }
        };
        let decision = if small { AccessDecision::Allow } else { AccessDecision::Deny };
        Some(PolicyDecision::new(decision, "small", "policy \"small\" says so"))
    }
}

/// Starts a kernel with a policy in front of the test server, which nobody may use without a rule.
async fn kernel(policy: impl AccessPolicy) -> Setup {
    start(|kernel, signals| {
        let mut server = spec("test", signals);
        server.default_policy = DefaultPolicy::OptIn;
        kernel.server(server).config(full).access_policy(policy)
    })
    .await
}

fn tools(listed: &Value) -> Vec<&str> {
    let names = listed["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap());
    names.filter(|name| !name.starts_with("mgp_")).collect()
}

fn add(number: i64) -> Value {
    json!({"name": "add", "arguments": {"a": number, "b": 2}})
}

#[tokio::test]
async fn a_policy_shows_a_tool_and_judges_each_call_by_its_arguments() {
    let setup = kernel(SmallNumbers).await;
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    assert_eq!(tools(&host.get("tools/list", json!({})).await), ["add"]);
    host.get("tools/call", add(1)).await;
    let refused = host.refused("tools/call", add(11)).await;
    assert_eq!((&refused["code"], &refused["data"]["policy"]), (&json!(1001), &json!("small")));
    let message = refused["message"].as_str().unwrap();
    assert!(message.contains("may not call tool \"add\": policy \"small\" says so"), "{message}");
    // A grant would open the tool for every call.
    assert!(!refused.to_string().contains("mgp access grant"), "{refused}");
    let nested =
        json!({"name": "mgp_tools_call", "arguments": {"name": "add", "arguments": {"a": 11, "b": 2}}});
    assert_eq!(host.refused("tools/call", nested).await["data"]["policy"], "small");
    // A rule stands above the policy.
    setup.kernel.access().put(rule("test", Some("add"), AccessDecision::Allow)).await.unwrap();
    host.get("tools/call", add(11)).await;
    setup.kernel.access().put(rule("test", Some("add"), AccessDecision::Deny)).await.unwrap();
    let refused = host.refused("tools/call", add(1)).await;
    assert_eq!((&refused["code"], refused["data"].get("policy")), (&json!(1001), None));
}

/// Denies calls of `add` with the number 7, once it is closed.
#[derive(Debug, Clone, Default)]
struct NoSevens(Arc<AtomicBool>);

impl AccessPolicy for NoSevens {
    fn decide(&self, request: &AccessRequest<'_>) -> Option<PolicyDecision> {
        let tool = request.tool.filter(|tool| tool.name == "add")?;
        let is_seven = match tool.arguments {
            CallArguments::Any => false,
            CallArguments::Given(arguments) => arguments?.decode::<Value>().ok()?["a"] == 7,
        };
        let is_denied = is_seven && self.0.load(Ordering::SeqCst);
        let decision = if is_denied { AccessDecision::Deny } else { AccessDecision::Allow };
        Some(PolicyDecision::new(decision, "no sevens", "policy \"no sevens\" says so"))
    }
}

#[tokio::test]
async fn a_call_that_waited_is_judged_again_by_its_arguments() {
    let policy = NoSevens::default();
    let closed = policy.0.clone();
    // The policy changes while each call waits.
    let gate = move |_: &ToolCall| {
        let closed = closed.clone();
        Decision::wait(async move {
            closed.store(true, Ordering::SeqCst);
            Ok(())
        })
    };
    let setup = start(|kernel, signals| {
        let mut server = spec("test", signals);
        server.default_policy = DefaultPolicy::OptIn;
        kernel.server(server).config(full).access_policy(policy).gate(gate)
    })
    .await;
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    let refused = host.refused("tools/call", add(7)).await;
    assert_eq!(refused["data"]["policy"], "no sevens", "{refused}");
    host.get("tools/call", add(1)).await;
}

#[cfg(feature = "cedar")]
mod in_cedar {
    use super::*;
    use mgp_discovery::config::Config;
    use mgp_kernel::{CedarPolicies, Kernel};

    #[tokio::test]
    async fn policies_in_cedar_see_the_tool_as_the_kernel_judges_it() {
        let policies = r#"
            @id("small")
            permit(principal == Agent::"agent.test", action == Action::"call", resource in Server::"test")
            when { resource.name == "add" && resource.risk_rank <= 2 && resource.server.trust == "standard" }
            when { context.arguments.a < 10 };
            @id("bad-luck")
            forbid(principal, action == Action::"call", resource == Tool::"test/add")
            when { context.arguments.a == 7 };"#;
        let setup = kernel(CedarPolicies::parse("x.cedar", policies).unwrap()).await;
        let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
        assert_eq!(tools(&host.get("tools/list", json!({})).await), ["add"]);
        host.get("tools/call", add(1)).await;
        let refused = host.refused("tools/call", add(7)).await;
        assert_eq!(refused["data"]["policy"], "bad-luck");
        let refused = host.refused("tools/call", add(11)).await;
        assert_eq!(
            (&refused["code"], refused["data"].get("policy")),
            (&json!(1001), None),
            "no policy applies"
        );
        let without = json!({"name": "add", "arguments": {"b": 2}});
        let refused = host.refused("tools/call", without).await;
        assert!(refused["message"].as_str().unwrap().contains("cannot be evaluated"), "{refused}");
    }

    #[test]
    fn an_unusable_policy_file_keeps_the_kernel_from_starting() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("access.cedar");
        let text = format!("[access]\npolicy_file = {path:?}");
        let config = Config::parse("x".as_ref(), text.as_bytes(), &|_| None).unwrap();
        let error = || Kernel::builder().configure(&config).map(|_| ()).unwrap_err().to_string();
        assert!(error().starts_with("access.policy_file: failed to read the policy file "), "{}", error());
        std::fs::write(&path, "permit(principal, action, resource)").unwrap();
        assert!(error().contains("access.cedar:1:36: unexpected end of input"), "{}", error());
        std::fs::write(&path, "permit(principal, action, resource);").unwrap();
        assert!(Kernel::builder().configure(&config).is_ok());
    }
}

#[cfg(not(feature = "cedar"))]
#[test]
fn a_policy_file_needs_the_feature() {
    let text = "[access]\npolicy_file = \"access.cedar\"";
    let config = mgp_discovery::config::Config::parse("x".as_ref(), text.as_bytes(), &|_| None).unwrap();
    let error = mgp_kernel::Kernel::builder().configure(&config).map(|_| ()).unwrap_err();
    assert!(error.to_string().contains("access.cedar needs the feature `cedar`"), "{error}");
}
