//! A request that is made on behalf of others has the rights that its caller and each of them have, whatever it asks for.

use crate::{
    features::eras::{everything, spec},
    raw_host::{As, ERAS},
    support::{Setup, server_rule, start},
};
use mgp_kernel::Era;
use mgp_toolindex::exposure::Exposure;
use mgp_types::{access::DefaultPolicy, context::Principal};
use serde_json::{Value, json};

/// Starts a kernel in front of a server that the agents `agent.test` and `agent.boss` may use, and `agent.clerk` may not.
async fn kernel() -> Setup {
    kernel_with(Exposure::Full).await
}

async fn kernel_with(exposure: Exposure) -> Setup {
    let mut server = spec("all", Era::Initialize, &everything());
    server.default_policy = DefaultPolicy::OptIn;
    let setup = start(|kernel, _| {
        kernel.server(server).config(|config| {
            config.kernel.exposure = exposure;
            config.agents.push("agent.boss".into());
            config.agents.push("agent.clerk".into());
        })
    })
    .await;
    for agent in ["agent.test", "agent.boss"] {
        setup.kernel.access().put(server_rule(agent, "all")).await.unwrap();
    }
    setup
}

/// Returns the same params, on behalf of a chain of agents.
fn on_behalf_of(chain: &[&str], mut params: Value) -> Value {
    params["_mgp"]["delegation"] = json!(chain);
    params
}

/// Returns the requests whose answers show something of a server to an agent that may see it: a method, its params, and a word of
/// the answer.
pub(crate) fn shows() -> Vec<(&'static str, Value, &'static str)> {
    vec![
        ("tools/list", json!({}), "\"talk\""),
        ("mgp/tools/discover", json!({"query": "talk"}), "\"talk\""),
        ("tools/call", json!({"name": "mgp_tools_discover", "arguments": {"query": "talk"}}), "\"talk\""),
        ("mgp/tools/request", json!({"requirements": {"capabilities": ["talk"]}}), "\"fulfilled\""),
        ("mgp/discovery/list", json!({}), "\"all\""),
        ("mgp/health/status", json!({}), "\"tools_total\":2"),
        ("resources/list", json!({}), "mem://note"),
        ("resources/templates/list", json!({}), "mem://item"),
        ("prompts/list", json!({}), "\"greet\""),
    ]
}

/// Returns the requests that reach a server.
pub(crate) fn reaches(era: Era) -> Vec<(&'static str, Value)> {
    let argument = json!({"name": "name", "value": "a"});
    let mut reaches = vec![
        ("tools/call", json!({"name": "talk", "arguments": {}})),
        ("tools/call", json!({"name": "mgp_tools_call", "arguments": {"name": "talk"}})),
        ("resources/read", json!({"uri": "mem://note"})),
        ("prompts/get", json!({"name": "greet", "arguments": {"name": "Ann"}})),
        (
            "completion/complete",
            json!({"ref": {"type": "ref/prompt", "name": "greet"}, "argument": argument}),
        ),
    ];
    if era == Era::Initialize {
        reaches.push(("resources/subscribe", json!({"uri": "mem://note"})));
    }
    reaches
}

#[tokio::test]
async fn a_chain_narrows_everything_that_shows_or_reaches_a_server() {
    for era in ERAS {
        let setup = kernel().await;
        let mut host = setup.raw_host(As::mgp(era)).await;
        for (method, params, word) in shows() {
            for chain in [&[][..], &["agent.boss"]] {
                let shown = host.get(method, on_behalf_of(chain, params.clone())).await.to_string();
                assert!(shown.contains(word), "{era:?} {method} for {chain:?}: {shown}");
            }
            for chain in [&["agent.clerk"][..], &["agent.boss", "agent.clerk"], &["agent.nobody"]] {
                let shown = host.get(method, on_behalf_of(chain, params.clone())).await.to_string();
                assert!(!shown.contains(word), "{era:?} {method} for {chain:?}: {shown}");
            }
        }
        let reached = |setup: &Setup| {
            let events = setup.sink.events();
            let forwarded = ["TOOL_EXECUTED", "dev.cloto.mgp.REQUEST_FORWARDED"];
            events.iter().filter(|event| forwarded.contains(&&*event.event_type.to_string())).count()
        };
        for (method, params) in reaches(era) {
            host.get(method, on_behalf_of(&["agent.boss"], params.clone())).await;
            let before = reached(&setup);
            host.refused(method, on_behalf_of(&["agent.boss", "agent.clerk"], params.clone())).await;
            assert_eq!(reached(&setup), before, "{era:?} {method}");
        }
        let refused = setup.sink.events().into_iter().filter(|event| event.result.as_str() == "BLOCKED");
        let told: Vec<_> = refused
            .map(|event| (event.actor.kind, event.details.unwrap().get("delegation").unwrap().to_string()))
            .collect();
        let chain = r#"["agent.boss","agent.clerk"]"#.to_owned();
        assert_eq!(told, vec![(mgp_types::context::ActorType::Delegated, chain); reaches(era).len()]);
    }
}

#[tokio::test]
async fn a_chain_removes_the_admin_role() {
    let setup = kernel().await;
    let admin = As { principal: Principal::operator("ann"), ..As::mgp(Era::Initialize) };
    let mut host = setup.raw_host(admin).await;
    let query = json!({"agent_id": "agent.test", "server_id": "all"});
    let rule =
        json!({"entry_type": "server_grant", "agent_id": "x", "server_id": "all", "permission": "allow"});
    let revoke = json!({"entry_type": "server_grant", "agent_id": "agent.test", "server_id": "all"});
    host.get("mgp/access/query", query.clone()).await;
    let rules = setup.kernel.access().entries().await.unwrap();
    for (method, params) in [
        ("mgp/access/query", query),
        ("mgp/access/grant", rule),
        ("mgp/access/revoke", revoke),
        ("mgp/audit/replay", json!({})),
        ("mgp/discovery/register", json!({"id": "new", "command": "true"})),
    ] {
        let error = host.refused(method, on_behalf_of(&["agent.boss"], params)).await;
        assert_eq!(error["code"], 1000, "{method}: {error}");
    }
    assert_eq!(setup.kernel.access().entries().await.unwrap().len(), rules.len());
    let listed = host.get("mgp/discovery/list", on_behalf_of(&["agent.clerk"], json!({}))).await;
    assert_eq!(listed["servers"], json!([]));
}

#[tokio::test]
async fn an_operator_s_chain_gets_no_notifications_for_admins() {
    let setup = kernel().await;
    let admin = As { principal: Principal::operator("ann"), ..As::mgp(Era::Stateless) };
    let mut host = setup.raw_host(admin).await;
    let filter = json!({"notifications": {"dev.cloto/mgp": {"audit": true, "lifecycle": true}}});
    host.send("subscriptions/listen", on_behalf_of(&["agent.boss"], filter)).await;
    let told = host.hear("notifications/subscriptions/acknowledged").await.to_string();
    assert!(!told.contains("audit") && !told.contains("lifecycle"), "{told}");
}

#[tokio::test]
async fn a_chain_can_subscribe_to_the_manifest() {
    let setup = kernel().await;
    let mut host = setup.raw_host(As::mgp(Era::Stateless)).await;
    let filter = json!({"notifications": {"resourceSubscriptions": ["mgp://manifest"]}});
    host.send("subscriptions/listen", on_behalf_of(&["agent.boss"], filter)).await;
    let told = host.hear("notifications/subscriptions/acknowledged").await;
    assert_eq!(told["params"]["notifications"]["resourceSubscriptions"], json!(["mgp://manifest"]), "{told}");
}

#[tokio::test]
async fn a_chain_sees_only_session_tools_that_all_of_it_may_call() {
    for era in ERAS {
        let setup = kernel_with(Exposure::Discovery).await;
        let mut host = setup.raw_host(As::mgp(era)).await;
        let told = host.get("mgp/tools/session", json!({})).await;
        let in_session = |mut params: Value| {
            if era == Era::Stateless {
                params["_mgp"]["session"] = told["_mgp"]["session"].clone();
            }
            params
        };
        host.get("tools/call", in_session(json!({"name": "talk", "arguments": {}}))).await;
        for (chain, cached) in
            [(&[][..], json!(["talk"])), (&["agent.boss"], json!(["talk"])), (&["agent.clerk"], json!([]))]
        {
            let shown = host.get("mgp/tools/session", on_behalf_of(chain, in_session(json!({})))).await;
            assert_eq!(shown["cached"], cached, "{era:?} {chain:?}: {shown}");
        }
    }
}

#[tokio::test]
async fn an_overlong_or_unreadable_chain_is_refused_by_every_method() {
    for era in ERAS {
        let setup = kernel().await;
        let mut host = setup.raw_host(As::mgp(era)).await;
        let shows = shows().into_iter().map(|(method, params, _)| (method, params));
        let mut asked = 0;
        for (method, params) in shows.chain(reaches(era)) {
            let long = on_behalf_of(&["agent.boss"; 4], params.clone());
            assert_eq!(host.refused(method, long).await["code"], 1000, "{era:?} {method}");
            let mut unreadable = params;
            unreadable["_meta"]["mgp"]["delegation"] = json!("agent.boss");
            assert_eq!(host.refused(method, unreadable).await["code"], -32602, "{era:?} {method}");
            asked += 2;
        }
        let events = setup.sink.events();
        let blocked = |event: &&mgp_types::audit::AuditEvent| event.result.as_str() == "BLOCKED";
        assert_eq!(events.iter().filter(blocked).count(), asked, "{era:?}");
        assert!(events.iter().filter(blocked).all(|event| event.actor.id == "agent.test"));
    }
}
