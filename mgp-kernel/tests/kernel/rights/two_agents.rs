//! Two agents of one kernel with different rights: no way to ask for tools shows or runs a tool that an agent may not use.

use crate::{
    raw_host::{As, ERAS, RawHost},
    support::{Setup, server_rule, spec, start},
};
use mgp_kernel::Era;
use mgp_toolindex::exposure::Exposure;
use mgp_types::access::DefaultPolicy;
use serde_json::{Value, json};

const MAY: &str = "agent.may";
const MAY_NOT: &str = "agent.maynot";

/// Starts a kernel in front of a server that one agent may use; the other may use nothing. All its tools are pinned, so every tool
/// that could be shown would be.
async fn kernel(exposure: Exposure) -> Setup {
    let setup = start(move |kernel, signals| {
        let mut spec = spec("test", signals);
        spec.default_policy = DefaultPolicy::OptIn;
        kernel.server(spec).config(|config| {
            config.kernel.exposure = exposure;
            config.kernel.pinned = ["count", "secret"].map(String::from).into();
            config.agents.push(MAY.into());
            config.agents.push(MAY_NOT.into());
        })
    })
    .await;
    setup.kernel.access().put(server_rule(MAY, "test")).await.unwrap();
    setup
}

/// Starts the same kernel without the server.
async fn nothing(exposure: Exposure) -> Setup {
    start(move |kernel, _| {
        kernel.config(|config| {
            config.kernel.exposure = exposure;
            config.kernel.pinned = ["count", "secret"].map(String::from).into();
            config.agents.push(MAY.into());
            config.agents.push(MAY_NOT.into());
        })
    })
    .await
}

const EXPOSURES: [Exposure; 4] = [Exposure::Full, Exposure::Hybrid, Exposure::Category, Exposure::Discovery];

/// Returns the questions that run no tool, each as a method and a meta-tool with the same params.
fn questions() -> Vec<(&'static str, &'static str, Value)> {
    let request = |capability: &str| json!({"requirements": {"capabilities": [capability, "chess"]}});
    let mut questions = vec![
        ("mgp/tools/session", "mgp_tools_session", json!({})),
        ("mgp/tools/session/evict", "mgp_tools_evict", json!({"tools": ["count", "test__secret", "add"]})),
    ];
    for word in ["add", "count", "secret", "camera", "test", "run_shell"] {
        questions.push((
            "mgp/tools/discover",
            "mgp_tools_discover",
            json!({"query": word, "max_results": 50}),
        ));
        questions.push(("mgp/tools/request", "mgp_tools_request", request(word)));
    }
    for category in ["camera", "test", "device", "count"] {
        let params = json!({"query": "", "strategy": "category", "filter": {"categories": [category]}});
        questions.push(("mgp/tools/discover", "mgp_tools_discover", params));
    }
    questions
}

/// Returns an answer without the members that differ between any two answers.
fn comparable(mut answer: Value) -> String {
    fn clean(value: &mut Value) {
        match value {
            Value::Object(members) => {
                for key in ["id", "query_time_ms", "session"] {
                    members.remove(key);
                }
                // The same answer once more, as text.
                if members.contains_key("structuredContent") {
                    members.remove("content");
                }
                members.values_mut().for_each(clean);
            }
            Value::Array(items) => items.iter_mut().for_each(clean),
            _ => {}
        }
    }
    clean(&mut answer);
    answer.to_string()
}

/// Returns everything that a host is told: the list of tools, and the answers to all questions.
async fn told(host: &mut RawHost) -> Vec<String> {
    let mut told = vec![comparable(host.ask("tools/list", json!({})).await)];
    for (method, tool, params) in questions() {
        told.push(comparable(host.ask(method, params.clone()).await));
        let call = json!({"name": tool, "arguments": params});
        told.push(comparable(host.ask("tools/call", call).await));
    }
    told
}

#[tokio::test]
async fn a_tool_without_a_grant_is_answered_like_an_absent_one() {
    for exposure in EXPOSURES {
        let (with, without) = (kernel(exposure).await, nothing(exposure).await);
        // The other agent uses and loads what it may, which must not show either.
        let mut may = with.raw_host(As::mgp(Era::Initialize).of(MAY)).await;
        assert_eq!(may.text("count", json!({"steps": 1})).await, "0 ");
        let theirs = told(&mut may).await.join("\n");
        for word in ["run_shell", r#""status":"pending_approval""#, r#""status":"partial""#] {
            assert!(theirs.contains(word), "{exposure:?}: the agent that may sees {word}");
        }
        let before = with.kernel.permissions().pending().await.unwrap();
        for era in ERAS {
            let mut host = with.raw_host(As::mgp(era).of(MAY_NOT)).await;
            let mut nowhere = without.raw_host(As::mgp(era).of(MAY_NOT)).await;
            let (there, not_there) = (told(&mut host).await, told(&mut nowhere).await);
            for (there, not_there) in there.iter().zip(&not_there) {
                assert_eq!(there, not_there, "{exposure:?} {era:?}");
            }
        }
        assert_eq!(with.kernel.permissions().pending().await.unwrap(), before, "no operator is asked for it");
    }
}

#[tokio::test]
async fn a_caller_without_a_grant_runs_nothing_by_any_way() {
    for era in ERAS {
        let setup = kernel(Exposure::Hybrid).await;
        let mut host = setup.raw_host(As::mgp(era).of(MAY_NOT)).await;
        for name in ["count", "test__count", "secret", "add"] {
            let arguments = json!({"steps": 1, "a": 1, "b": 1});
            let around = json!({"name": name, "arguments": arguments});
            for call in [
                json!({"name": name, "arguments": arguments}),
                json!({"name": "mgp_tools_call", "arguments": around}),
            ] {
                assert_eq!(host.refused("tools/call", call).await["code"], 1001, "{name}");
            }
        }
        assert!(setup.calls().iter().all(|call| call.starts_with("TOOL_BLOCKED")), "{:?}", setup.calls());
        let told = host.get("mgp/tools/session", json!({})).await;
        assert_eq!(
            (&told["pinned"], &told["cached"], &told["total_tokens"]),
            (&json!([]), &json!([]), &json!(0))
        );
    }
}

#[tokio::test]
async fn a_grant_for_one_tool_shows_and_loads_only_that_one() {
    use crate::support::rule;
    use mgp_types::access::{AccessDecision, AccessEntry};
    let setup = kernel(Exposure::Hybrid).await;
    let one =
        AccessEntry { agent_id: MAY_NOT.to_owned(), ..rule("test", Some("add"), AccessDecision::Allow) };
    setup.kernel.access().put(one).await.unwrap();
    let mut host = setup.raw_host(As::mgp(Era::Initialize).of(MAY_NOT)).await;
    let told = told(&mut host).await.join("\n");
    assert!(told.contains(r#""name":"add""#));
    for hidden in ["run_shell\"", "\"count\",", "\"hang\"", "pending_approvals\":[{", "Needs a camera"] {
        let told = told.replace(r#"["count","chess"]"#, "").replace(r#"["run_shell","chess"]"#, "");
        assert!(!told.contains(hidden), "{hidden}");
    }
    for (query, found) in [("add two numbers", 1), ("count hang run_shell secret", 0)] {
        let told = host.get("mgp/tools/discover", json!({"query": query})).await;
        let tools = told["tools"].as_array().unwrap().len();
        assert_eq!((&told["total_available"], tools), (&json!(1), found), "{query}");
    }
}

#[tokio::test]
async fn health_counts_only_tools_that_its_caller_may_call() {
    use mgp_types::context::Principal;
    let setup = kernel(Exposure::Hybrid).await;
    // One of the five waits for a permission.
    for (principal, available, total) in
        [(Principal::agent(MAY_NOT), 0, 0), (Principal::agent(MAY), 4, 5), (Principal::operator("ann"), 4, 5)]
    {
        let mut host = setup.raw_host(As { principal, ..As::mgp(Era::Initialize) }).await;
        let ping = host.get("mgp/health/ping", json!({"timestamp": "2026-02-27T12:00:00.000Z"})).await;
        assert_eq!((&ping["status"], ping["uptime_secs"].is_u64()), (&json!("healthy"), true), "{ping}");
        assert!(ping["timestamp"].is_string() && ping["server_id"].is_string(), "{ping}");
        let told = host.get("mgp/health/status", json!({})).await;
        assert_eq!((&told["tools_available"], &told["tools_total"]), (&json!(available), &json!(total)));
    }
}
