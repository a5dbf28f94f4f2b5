//! §16.7 The tools of a host's session, in both eras, by method and by meta-tool.

use crate::{
    raw_host::{As, ERAS, RawHost},
    raw_server::{RawServer, listing, long, result},
    support::{Setup, agents, rule, spec_of_sessions, start, until_some},
};
use mgp_kernel::{Era, Kernel, KernelError};
use mgp_toolindex::{budget::ToolContextBudget, exposure::Exposure, meta_tools, tokens::TokenCounter};
use mgp_types::{access::AccessDecision, lifecycle::KernelStatusParams};
use serde_json::{Value, json};

/// Every definition takes as much.
#[derive(Debug)]
struct Each(u64);

impl TokenCounter for Each {
    fn count(&self, _: &str) -> u64 {
        self.0
    }
}

/// A kernel whose cache has room for three tools.
async fn kernel(exposure: Exposure, pinned: &'static [&'static str]) -> Setup {
    start(move |kernel, signals| {
        kernel
            .server(spec_of_sessions("test", signals))
            .server(long("long"))
            .config(|config| {
                config.kernel.exposure = exposure;
                config.kernel.pinned = pinned.iter().map(ToString::to_string).collect();
            })
            .token_counter(Each(1000))
            .config(agents(["agent.other"]))
    })
    .await
}

/// The two ways to say the same.
#[derive(Debug, Clone, Copy)]
enum Way {
    Method,
    MetaTool,
}

const WAYS: [Way; 2] = [Way::Method, Way::MetaTool];

/// Asks the index in one of the two ways; in a session, where the host names one.
async fn ask(host: &mut RawHost, way: Way, what: &str, mut params: Value, session: Option<&str>) -> Value {
    match way {
        Way::Method => {
            let method = match what {
                "evict" => "mgp/tools/session/evict".to_owned(),
                what => format!("mgp/tools/{what}"),
            };
            if let Some(session) = session {
                params["_mgp"] = json!({"session": session});
            }
            let answer = host.ask(&method, params).await;
            answer.get("error").unwrap_or(&answer["result"]).clone()
        }
        Way::MetaTool => {
            if let Some(session) = session {
                params["session"] = session.into();
            }
            let result = host.call(&format!("mgp_tools_{what}"), params).await;
            if result["isError"] == true {
                return json!({"message": result["content"][0]["text"]});
            }
            result["structuredContent"].clone()
        }
    }
}

async fn cached(host: &mut RawHost, way: Way, session: Option<&str>) -> Vec<String> {
    let told = ask(host, way, "session", json!({}), session).await;
    let cached = told["cached"].as_array().unwrap_or_else(|| panic!("{told}"));
    cached.iter().map(|name| name.as_str().unwrap().to_owned()).collect()
}

async fn listed(host: &mut RawHost) -> Vec<String> {
    let list = host.get("tools/list", json!({})).await;
    let names =
        list["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap().to_owned());
    names.filter(|name| !meta_tools::NAMES.contains(&name.as_str())).collect()
}

/// Calls a tool in a session.
async fn call(host: &mut RawHost, name: &str, arguments: Value, session: Option<&str>) {
    let mut params = json!({"name": name, "arguments": arguments});
    if let Some(session) = session {
        params["_mgp"] = json!({"session": session});
    }
    host.get("tools/call", params).await;
}

/// The session of a host, where it has to name one.
async fn session_of(host: &mut RawHost, era: Era, way: Way) -> Option<String> {
    let told = ask(host, way, "session", json!({}), None).await;
    let named = told["_mgp"]["session"].as_str().map(str::to_owned);
    assert_eq!(named.is_some(), era == Era::Stateless, "{told}");
    named
}

#[tokio::test]
async fn a_session_keeps_the_tools_it_uses_until_they_are_evicted() {
    for era in ERAS {
        for way in WAYS {
            let setup = kernel(Exposure::Discovery, &["hang"]).await;
            let mut host = setup.raw_host(As::mgp(era)).await;
            let session = session_of(&mut host, era, way).await;
            let session = session.as_deref();
            assert_eq!(cached(&mut host, way, session).await, [""; 0]);
            call(&mut host, "add", json!({"a": 1, "b": 2}), session).await;
            call(&mut host, "test__count", json!({"steps": 1}), session).await;
            assert_eq!(cached(&mut host, way, session).await, ["count", "add"], "{era:?} {way:?}");
            call(&mut host, "add", json!({"a": 1, "b": 2}), session).await;
            let told = ask(&mut host, way, "session", json!({}), session).await;
            assert_eq!((&told["pinned"], &told["cached"]), (&json!(["hang"]), &json!(["add", "count"])));
            assert_eq!((&told["total_tokens"], &told["max_tokens"]), (&json!(3000), &json!(8000)));
            let evicted = ask(&mut host, way, "evict", json!({"tools": ["add", "nothing"]}), session).await;
            assert_eq!((&evicted["evicted"], &evicted["total_tokens"]), (&json!(["add"]), &json!(2000)));
            let refused = ask(&mut host, way, "evict", json!({"tools": ["count", "hang"]}), session).await;
            let message = refused["message"].as_str().unwrap();
            assert!(message.contains("pinned tools are never evicted: hang"), "{refused}");
            assert_eq!(cached(&mut host, way, session).await, ["count"]);
        }
    }
}

#[tokio::test]
async fn a_call_through_the_meta_tool_counts_for_its_session_too() {
    for era in ERAS {
        let setup = kernel(Exposure::Discovery, &[]).await;
        let mut host = setup.raw_host(As::plain(era)).await;
        let session = session_of(&mut host, era, Way::MetaTool).await;
        let mut arguments = json!({"name": "add", "arguments": {"a": 1, "b": 2}});
        if let Some(session) = &session {
            arguments["session"] = session.as_str().into();
        }
        assert_eq!(host.text("mgp_tools_call", arguments).await, "3");
        assert_eq!(cached(&mut host, Way::MetaTool, session.as_deref()).await, ["add"]);
    }
}

#[tokio::test]
async fn a_refused_call_is_not_a_use() {
    let setup = kernel(Exposure::Discovery, &[]).await;
    setup.kernel.access().put(rule("test", Some("add"), AccessDecision::Deny)).await.unwrap();
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    host.refused("tools/call", json!({"name": "add", "arguments": {"a": 1, "b": 2}})).await;
    assert_eq!(cached(&mut host, Way::Method, None).await, [""; 0]);
}

#[tokio::test]
async fn a_found_but_unused_tool_does_not_belong_to_the_session() {
    for era in ERAS {
        for way in WAYS {
            let setup = kernel(Exposure::Hybrid, &[]).await;
            let mut host = setup.raw_host(As::mgp(era)).await;
            let session = session_of(&mut host, era, way).await;
            let session = session.as_deref();
            let found = ask(&mut host, way, "discover", json!({"query": "add two numbers"}), session).await;
            assert_eq!(found["tools"][0]["name"], "add", "{found}");
            let told = ask(&mut host, way, "session", json!({}), session).await;
            assert_eq!((&told["cached"], &told["total_tokens"]), (&json!([]), &json!(0)), "{era:?} {way:?}");
        }
    }
}

async fn spared(setup: &Setup) -> Option<u64> {
    setup.kernel.operator().status(&KernelStatusParams::default()).await.traffic.unwrap().tokens_spared
}

#[tokio::test]
async fn tokens_are_spared_once_by_each_session_that_searches() {
    let tools: Vec<_> =
        (0..20).map(|n| json!({"name": format!("t{n}"), "inputSchema": {"type": "object"}})).collect();
    for (exposure, tokens) in [(Exposure::Hybrid, 14_000), (Exposure::Discovery, 15_000)] {
        let server = listing("many", json!(tools));
        let setup = start(move |kernel, _| {
            let pinned = vec!["t0".to_owned()];
            kernel.server(server).token_counter(Each(1000)).config(move |config| {
                config.kernel.exposure = exposure;
                config.kernel.pinned = pinned;
            })
        })
        .await;
        let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
        listed(&mut host).await;
        assert_eq!(spared(&setup).await, None, "it has not searched");
        for _ in 0..2 {
            ask(&mut host, Way::MetaTool, "discover", json!({"query": "t1"}), None).await;
        }
        until_some(async || spared(&setup).await.filter(|sum| *sum == tokens)).await;
        let mut other = setup.raw_host(As::mgp(Era::Initialize)).await;
        ask(&mut other, Way::Method, "discover", json!({"query": "t1"}), None).await;
        until_some(async || spared(&setup).await.filter(|sum| *sum == 2 * tokens)).await;
        let mut stateless = setup.raw_host(As::mgp(Era::Stateless)).await;
        ask(&mut stateless, Way::Method, "discover", json!({"query": "t1"}), None).await;
        ask(&mut other, Way::Method, "discover", json!({"query": "t1"}), None).await;
        assert_eq!(spared(&setup).await, Some(2 * tokens), "{exposure:?}");
    }
}

#[tokio::test]
async fn sessions_are_separate_and_a_host_s_ends_with_its_connection() {
    let setup = kernel(Exposure::Hybrid, &[]).await;
    let mut one = setup.raw_host(As::mgp(Era::Initialize)).await;
    let mut other = setup.raw_host(As::mgp(Era::Initialize)).await;
    call(&mut one, "add", json!({"a": 1, "b": 2}), None).await;
    assert_eq!(cached(&mut one, Way::Method, None).await, ["add"]);
    assert_eq!(cached(&mut other, Way::Method, None).await, [""; 0]);
    assert_eq!((listed(&mut one).await, listed(&mut other).await), (vec!["add".to_owned()], vec![]));
}

#[tokio::test]
async fn a_hybrid_host_sees_its_session_s_tools_and_their_changes() {
    const CHANGED: &str = "notifications/tools/list_changed";
    let setup = kernel(Exposure::Hybrid, &[]).await;
    let mut host = setup.raw_host(As::plain(Era::Initialize)).await;
    let mut bystander = setup.raw_host(As::plain(Era::Initialize)).await;
    host.after_start().await;
    bystander.after_start().await;
    assert_eq!(listed(&mut host).await, [""; 0]);
    call(&mut host, "add", json!({"a": 1, "b": 2}), None).await;
    host.hear(CHANGED).await;
    assert_eq!(listed(&mut host).await, ["add"]);
    // The same again changes nothing.
    call(&mut host, "add", json!({"a": 1, "b": 2}), None).await;
    host.settle().await;
    assert_eq!(host.count(CHANGED), 0);
    host.call("mgp_tools_evict", json!({"tools": ["add"]})).await;
    host.hear(CHANGED).await;
    assert_eq!(listed(&mut host).await, [""; 0]);
    host.call("mgp_tools_request", json!({"requirements": {"capabilities": ["add"]}})).await;
    host.hear(CHANGED).await;
    assert_eq!(listed(&mut host).await, ["add"]);
    // What is taken from its agent goes, and the host hears of it.
    setup.kernel.access().put(rule("test", Some("add"), AccessDecision::Deny)).await.unwrap();
    host.hear(CHANGED).await;
    assert_eq!(listed(&mut host).await, [""; 0]);
    bystander.settle().await;
    assert_eq!(bystander.count(CHANGED), 0, "it is shown no tool that could have changed");
}

#[tokio::test]
async fn other_exposures_neither_show_nor_announce_a_session() {
    for exposure in [Exposure::Full, Exposure::Discovery, Exposure::Category] {
        let setup = kernel(exposure, &[]).await;
        let mut host = setup.raw_host(As::plain(Era::Initialize)).await;
        host.after_start().await;
        let before = listed(&mut host).await;
        call(&mut host, "add", json!({"a": 1, "b": 2}), None).await;
        host.settle().await;
        assert_eq!(host.count("notifications/tools/list_changed"), 0, "{exposure:?}");
        assert_eq!(listed(&mut host).await, before);
    }
}

#[tokio::test]
async fn a_stateless_host_gets_its_session_and_the_argument_each_time() {
    let setup = kernel(Exposure::Hybrid, &[]).await;
    let mut host = setup.raw_host(As::plain(Era::Stateless)).await;
    let found = ask(&mut host, Way::MetaTool, "discover", json!({"query": "add"}), None).await;
    let session = found["_mgp"]["session"].as_str().unwrap().to_owned();
    let params = json!({"requirements": {"capabilities": ["add"]}});
    let loaded = ask(&mut host, Way::MetaTool, "request", params, Some(&session)).await;
    assert_eq!(loaded["_mgp"]["session"], session.as_str());
    assert_eq!(cached(&mut host, Way::Method, Some(&session)).await, ["add"]);
    // Whoever names no session has none: the list stays what it was, and another answer names another session.
    assert_eq!(listed(&mut host).await, [""; 0]);
    assert_eq!(cached(&mut host, Way::Method, None).await, [""; 0]);
    let list = host.get("tools/list", json!({})).await;
    assert!(list["tools"][0]["inputSchema"]["properties"]["session"].is_object());
    let mut own = setup.raw_host(As::plain(Era::Initialize)).await;
    let list = own.get("tools/list", json!({})).await;
    assert!(list["tools"][0]["inputSchema"]["properties"].get("session").is_none());
}

#[tokio::test]
async fn another_s_session_is_refused_like_an_unknown_one() {
    let setup = kernel(Exposure::Hybrid, &[]).await;
    let mut host = setup.raw_host(As::mgp(Era::Stateless)).await;
    let session = session_of(&mut host, Era::Stateless, Way::Method).await.unwrap();
    call(&mut host, "add", json!({"a": 1, "b": 2}), Some(&session)).await;
    for era in ERAS {
        let mut other = setup.raw_host(As::mgp(era).of("agent.other")).await;
        for way in WAYS {
            for (what, params) in [
                ("session", json!({})),
                ("discover", json!({"query": "add"})),
                ("request", json!({"requirements": {"capabilities": ["add"]}})),
                ("evict", json!({"tools": ["add"]})),
            ] {
                let mut foreign = ask(&mut other, way, what, params.clone(), Some(&session)).await;
                let mut never = ask(&mut other, way, what, params, Some("never")).await;
                for answer in [&mut foreign, &mut never] {
                    // Each refusal has a trace of its own.
                    answer["data"]["trace_id"].take();
                }
                assert_eq!(foreign, never, "{what}");
                assert!(foreign["message"].as_str().unwrap().contains("invalid session"), "{foreign}");
            }
        }
        // A call is not about its session; it neither fails for it nor changes it.
        call(&mut other, "count", json!({"steps": 1}), Some(&session)).await;
    }
    assert_eq!(cached(&mut host, Way::Method, Some(&session)).await, ["add"]);
}

#[tokio::test]
async fn no_server_sees_the_session_of_a_host() {
    let capabilities = json!({"tools": {}, "mgp": {"version": "0.3.0", "extensions": []}});
    let server =
        RawServer::new(Era::Initialize, capabilities, |message| match message["method"].as_str()? {
            "tools/list" => {
                let tools = json!({"tools": [{"name": "look", "inputSchema": {"type": "object"}}]});
                Some(vec![result(message, tools)])
            }
            "tools/call" => Some(vec![result(message, json!({"content": []}))]),
            _ => None,
        });
    let setup = start(|kernel, _| kernel.server(server.spec("test"))).await;
    setup.kernel.access().put(rule("test", None, AccessDecision::Allow)).await.unwrap();
    let mut host = setup.raw_host(As::mgp(Era::Stateless)).await;
    let session = session_of(&mut host, Era::Stateless, Way::Method).await.unwrap();
    for params in [
        json!({"name": "look", "_mgp": {"session": session, "kept": 1}}),
        json!({"name": "look", "_meta": {"mgp": {"session": session}}}),
        json!({"name": "mgp_tools_call", "arguments": {"name": "look", "session": session}}),
    ] {
        host.get("tools/call", params).await;
    }
    let seen = server.read_of("tools/call");
    assert_eq!(seen.len(), 3);
    assert!(seen.iter().all(|params| !params.to_string().contains(&session)), "{seen:?}");
    assert_eq!(cached(&mut host, Way::Method, Some(&session)).await, ["look"]);
}

#[tokio::test]
async fn a_kernel_does_not_start_with_a_budget_smaller_than_its_parts() {
    let budget = ToolContextBudget { max_tokens: 1, ..ToolContextBudget::default() };
    let error = Kernel::builder()
        .config(|config| config.kernel.tool_context_budget = budget)
        .start()
        .await
        .unwrap_err();
    assert!(matches!(error, KernelError::Configuration(_)), "{error}");
    assert!(error.to_string().starts_with("kernel.tool_context_budget: "), "{error}");
}
