//! Tools that the operator switched off.

use crate::{
    raw_host::As,
    support::{Setup, rule, server_rule, spec, start},
};
use mgp_kernel::Era;
use mgp_types::access::AccessDecision;
use serde_json::{Value, json};

async fn setup(conceals: bool) -> Setup {
    start(|kernel, signals| {
        let mut spec = spec("test", signals);
        spec.disabled = vec!["add".to_owned()];
        kernel.server(spec).config(|config| config.access.conceal = Some(conceals))
    })
    .await
}

/// Returns the refusal of a call of `add`.
async fn refused(setup: &Setup) -> Value {
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    host.refused("tools/call", json!({"name": "add", "arguments": {"a": 1, "b": 1}})).await
}

#[tokio::test]
async fn a_disabled_tool_is_hidden_and_its_refusal_gives_the_reason() {
    let setup = setup(false).await;
    let mut host = setup.raw_host(As::plain(Era::Initialize)).await;
    let list = host.get("tools/list", json!({})).await.to_string();
    assert!(!list.contains(r#""add""#), "{list}");
    assert!(list.contains(r#""name":"#), "the server's other tools are shown: {list}");
    setup.kernel.access().put(server_rule("agent.test", "test")).await.unwrap();
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    let found = host.get("mgp/tools/discover", json!({"query": "add two numbers"})).await.to_string();
    assert!(!found.contains(r#""add""#), "{found}");
    let refused = refused(&setup).await;
    assert_eq!(refused["code"], 4002, "{refused}");
    assert!(refused["message"].as_str().unwrap().contains("`disabled`"), "{refused}");
    assert_eq!(setup.calls_recorded(1).await, ["TOOL_BLOCKED BLOCKED test.add"]);
}

#[tokio::test]
async fn a_search_ignores_the_approvals_of_disabled_tools() {
    let setup = start(|kernel, signals| {
        let mut spec = spec("test", signals);
        spec.disabled = vec!["secret".to_owned()];
        kernel.server(spec)
    })
    .await;
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    for query in ["a picture that needs a camera", "nothing like that"] {
        let found = host.get("mgp/tools/discover", json!({"query": query})).await.to_string();
        assert!(!found.contains("camera\"") && !found.contains("mgp approve"), "{found}");
    }
}

#[tokio::test]
async fn only_authorized_callers_learn_that_a_tool_is_disabled() {
    for (conceals, expected) in [(false, 1001), (true, 4001)] {
        let setup = setup(conceals).await;
        setup.kernel.access().put(rule("test", Some("add"), AccessDecision::Deny)).await.unwrap();
        let refused = refused(&setup).await;
        assert_eq!(refused["code"], expected, "{refused}");
        assert!(!refused.to_string().contains("switched off"), "{refused}");
    }
}
