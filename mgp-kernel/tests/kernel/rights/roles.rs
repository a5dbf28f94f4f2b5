//! Roles and patterns in the whole pipeline: what they let an agent see and call, and what not.

use crate::{
    features::registration::support::{BUILDER, builder, reached, register},
    raw_host::As,
    support::{Setup, full, rule, spec, start},
};
use mgp_discovery::config::{AgentConfig, Config};
use mgp_kernel::{Era, RoleRule};
use mgp_types::access::{AccessDecision, DefaultPolicy};
use serde_json::{Value, json};

/// Starts a kernel in front of the test server, which nobody may use without a rule.
async fn kernel() -> Setup {
    start(|kernel, signals| {
        let mut server = spec("test", signals);
        server.default_policy = DefaultPolicy::OptIn;
        kernel.server(server).config(full).config(|config| {
            let rules = [RoleRule::allow("te*").tool("a*"), RoleRule::deny("*").tool("count")];
            config.roles.insert("adds".into(), rules.into_iter().collect());
            config.agents = vec![AgentConfig { id: "agent.test".into(), roles: vec!["adds".into()] }];
        })
    })
    .await
}

fn tools(listed: &Value) -> Vec<&str> {
    let names = listed["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap());
    names.filter(|name| !name.starts_with("mgp_")).collect()
}

#[tokio::test]
async fn an_agent_may_use_only_tools_of_its_role_and_its_patterns() {
    let setup = kernel().await;
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    let mut other = setup.raw_host(As::mgp(Era::Initialize).of("agent.other")).await;
    let add = json!({"name": "add", "arguments": {"a": 1, "b": 2}});
    let count = json!({"name": "count", "arguments": {"steps": 1}});
    assert_eq!(tools(&host.get("tools/list", json!({})).await), ["add"]);
    assert_eq!(tools(&other.get("tools/list", json!({})).await), Vec::<&str>::new());
    host.get("tools/call", add.clone()).await;
    assert_eq!(host.refused("tools/call", count.clone()).await["code"], 1001);
    assert_eq!(other.refused("tools/call", add.clone()).await["code"], 1001);
    // A rule of the agent's own stands above its roles.
    setup.kernel.access().put(rule("t*", Some("*ou*"), AccessDecision::Allow)).await.unwrap();
    setup.kernel.access().put(rule("test", Some("*dd"), AccessDecision::Deny)).await.unwrap();
    assert_eq!(tools(&host.get("tools/list", json!({})).await), ["count"]);
    host.get("tools/call", count).await;
    assert_eq!(host.refused("tools/call", add).await["code"], 1001);
}

#[tokio::test]
async fn roles_of_the_configuration_hold_and_name_their_agents() {
    let text = "[roles.adds]\ngrants = [{ server = \"*\", tool = \"add\" }]\n[[agents]]\nid = \"agent.other\"\nroles = [\"adds\"]";
    let config = Config::parse("x".as_ref(), text.as_bytes(), &|_| None).unwrap();
    let setup = start(|kernel, signals| {
        let mut closed = spec("test", signals);
        closed.default_policy = DefaultPolicy::OptIn;
        let kernel = kernel.configure(&config).unwrap().config(full);
        kernel.server(closed).server(spec("open", signals))
    })
    .await;
    let access = setup.kernel.access();
    assert!(access.query("agent.other", "test", Some("add")).allows());
    assert!(!access.query("agent.other", "test", Some("count")).allows());
    assert!(access.query("agent.other", "open", Some("count")).allows(), "a default policy applies to it");
    assert!(!access.query("agent.third", "open", Some("count")).allows());
}

#[tokio::test]
async fn no_role_or_pattern_opens_a_server_that_an_agent_registered() {
    let setup = start(|kernel, signals| {
        reached(kernel, signals)
            .config(|config| {
                config.access.registrars = vec![BUILDER.into()];
                let rules = [RoleRule::allow("*"), RoleRule::allow("new*").tool("add")];
                config.roles.insert("everything".into(), rules.into_iter().collect());
                config.agents =
                    vec![AgentConfig { id: "agent.test".into(), roles: vec!["everything".into()] }];
            })
            .server(spec("test", signals))
    })
    .await;
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    setup.kernel.access().put(rule("*", None, AccessDecision::Allow)).await.unwrap();
    setup.kernel.access().put(rule("n*", Some("add"), AccessDecision::Allow)).await.unwrap();
    register(&mut builder(&setup).await, "new").await;
    let add = json!({"name": "new__add", "arguments": {"a": 1, "b": 2}});
    assert_eq!(host.refused("tools/call", add.clone()).await["code"], 1001);
    assert!(!tools(&host.get("tools/list", json!({})).await).contains(&"new__add"));
    setup.kernel.access().put(rule("new", None, AccessDecision::Allow)).await.unwrap();
    host.get("tools/call", add.clone()).await;
    setup.kernel.access().put(rule("n*", Some("*"), AccessDecision::Deny)).await.unwrap();
    assert_eq!(host.refused("tools/call", add).await["code"], 1001, "a pattern denies");
}
