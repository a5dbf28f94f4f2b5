//! Tests of roles: rules that agents share.

use super::*;
use crate::audit::MemorySink;
use AccessDecision::{Allow, Deny};
use AccessSource::{DefaultPolicy as ByDefault, ServerGrant, ToolGrant};
use mgp_transport::seam::Visibility;
use mgp_types::{
    access::{AccessDecision, AccessEntry, AccessQueryParams, AccessSource, DefaultPolicy, RoleRule, Roles},
    context::{Principal, ToolId},
    json::Nullable,
};
use std::sync::Arc;

fn roles() -> Roles {
    Roles::new()
        .role("reader", [RoleRule::allow("fs-*").tool("read_*"), RoleRule::deny("*").tool("*secret*")])
        .role("writer", [RoleRule::allow("fs-1"), RoleRule::allow("fs-1").tool("read_secret")])
        .role("exact", [RoleRule::deny("fs-1").tool("read_secret")])
        .agent("reads", ["reader"])
        .agent("writes", ["writer", "reader", "nothing"])
        .agent("torn", ["writer", "exact"])
        .role(
            "twice",
            [
                RoleRule::deny("web").tool("t"),
                RoleRule::allow("web").tool("t"),
                RoleRule::deny("fs-1"),
                RoleRule::allow("fs-1"),
                RoleRule::allow("web").tool("u"),
                RoleRule::deny("web").tool("u"),
                RoleRule::allow("web"),
                RoleRule::deny("web"),
            ],
        )
        .agent("twice", ["twice"])
        .agent("bare", Vec::<String>::new())
}

async fn control(rules: impl IntoIterator<Item = AccessEntry>) -> AccessControl {
    let control = AccessControl::open(Arc::new(SqlAccessStore::in_memory())).await.unwrap();
    for (server, policy) in
        [("fs-1", DefaultPolicy::OptIn), ("fs-2", DefaultPolicy::OptIn), ("web", DefaultPolicy::OptOut)]
    {
        control.set_server(server, policy);
    }
    control.set_roles(&roles());
    for rule in rules {
        control.put(rule).await.unwrap();
    }
    control
}

fn judged(
    control: &AccessControl,
    agent: &str,
    server: &str,
    tool: &str,
) -> (AccessDecision, AccessSource, String) {
    let judgement = control.query(agent, server, Some(tool));
    let role = judgement.role.as_deref().unwrap_or("-").to_owned();
    (judgement.decision, judgement.source, role)
}

#[tokio::test]
async fn an_agent_has_its_roles_rights_in_the_same_precedence() {
    let control = control([]).await;
    for (agent, server, tool, decision, source, role) in [
        ("reads", "fs-2", "read_file", Allow, ToolGrant, "reader"),
        ("reads", "fs-2", "write_file", Deny, ByDefault, "-"),
        ("reads", "fs-2", "read_secret", Deny, ToolGrant, "reader"),
        ("writes", "fs-1", "write_file", Allow, ServerGrant, "writer"),
        ("writes", "fs-1", "read_secret", Allow, ToolGrant, "writer"),
        ("writes", "fs-1", "get_secrets", Deny, ToolGrant, "reader"),
        ("writes", "fs-2", "write_file", Deny, ByDefault, "-"),
        ("torn", "fs-1", "read_secret", Deny, ToolGrant, "exact"),
        ("torn", "fs-1", "other", Allow, ServerGrant, "writer"),
        ("twice", "web", "t", Deny, ToolGrant, "twice"),
        ("twice", "fs-1", "t", Deny, ServerGrant, "twice"),
        ("twice", "web", "u", Deny, ToolGrant, "twice"),
        ("twice", "web", "x", Deny, ServerGrant, "twice"),
        ("bare", "web", "t", Allow, ByDefault, "-"),
        ("bare", "fs-1", "t", Deny, ByDefault, "-"),
        ("stranger", "web", "t", Deny, ByDefault, "-"),
        ("writer", "fs-1", "t", Deny, ByDefault, "-"),
    ] {
        assert_eq!(
            judged(&control, agent, server, tool),
            (decision, source, role.to_owned()),
            "{agent} {server} {tool}"
        );
        let seen = control.view(&Principal::agent(agent)).sees(&ToolId::new(server, tool));
        assert_eq!(seen, decision == Allow, "{agent} {server} {tool}");
    }
    let view = control.view(&Principal::agent("writes"));
    assert!(view.sees_server("fs-1") && !view.sees_server("fs-2") && view.sees_all_tools("fs-1").is_none());
}

#[tokio::test]
async fn an_agent_s_own_rule_overrides_its_roles() {
    let control = control([
        AccessEntry::deny("writes").server("fs-1"),
        AccessEntry::allow("reads").server("fs-2"),
        AccessEntry::deny("torn").server("fs-1").expires_at("2020-01-01T00:00:00Z"),
    ])
    .await;
    assert_eq!(judged(&control, "writes", "fs-1", "read_secret"), (Deny, ServerGrant, "-".into()));
    assert_eq!(judged(&control, "reads", "fs-2", "get_secret"), (Allow, ServerGrant, "-".into()));
    assert_eq!(judged(&control, "torn", "fs-1", "t").0, Allow, "its own rule has ended");
    control.remove(AccessKey::from(&AccessEntry::deny("writes").server("fs-1"))).await.unwrap();
    assert_eq!(judged(&control, "writes", "fs-1", "read_secret").0, Allow);
}

#[tokio::test]
async fn everybody_in_a_chain_needs_the_right_by_role_or_rule() {
    let control = control([AccessEntry::allow("own").server("fs-1")]).await;
    let tool = ToolId::new("fs-1", "read_file");
    let chain = |caller: &str, others: &[&str]| {
        control.authorize(&Principal::agent(caller).on_behalf_of(others.iter().copied()), &tool)
    };
    assert!(chain("reads", &["own", "writes"]).is_ok());
    assert_eq!(chain("reads", &["own", "bare"]).unwrap_err().agent_id, "bare");
    assert_eq!(chain("bare", &["reads"]).unwrap_err().agent_id, "bare");
}

#[tokio::test]
async fn a_role_allows_nothing_at_a_self_registered_server() {
    let control = control([]).await;
    control.set_registered_server("fs-1");
    assert_eq!(judged(&control, "writes", "fs-1", "write_file").0, Deny);
    assert_eq!(judged(&control, "torn", "fs-1", "read_secret"), (Deny, ToolGrant, "exact".into()));
    let explanation = control.explain("writes", "fs-1", Some("write_file"));
    let passed_over = explanation.rules.iter().filter(|rule| rule.standing == RuleStanding::Registered);
    assert_eq!(passed_over.count(), 1);
    assert!(explanation.rules.iter().all(|rule| rule.role.is_some()));
}

#[tokio::test]
async fn changed_roles_apply_at_once_and_are_notified() {
    let control = control([]).await;
    let changes = control.changes();
    control.set_roles(&Roles::new().agent("reads", ["reader"]));
    assert!(changes.has_changed().unwrap());
    assert_eq!(judged(&control, "reads", "fs-2", "read_file").0, Deny);
    assert!(control.agents_with_rules("fs-2").is_empty());
    control.set_roles(&roles());
    assert!(control.agents_with_rules("fs-2").iter().eq(["reads", "writes"]));
}

#[tokio::test]
async fn a_query_names_the_role() {
    let methods = AccessMethods::new(control([]).await, Arc::new(MemorySink::new(10)));
    let params = AccessQueryParams {
        agent_id: "reads".into(),
        server_id: "fs-2".into(),
        tool_name: Nullable::Value("read_x".into()),
    };
    let answer = methods.query(&Principal::operator("root"), &params).unwrap();
    assert_eq!((answer.role, answer.granted_by), (Nullable::Value("reader".into()), Nullable::Null));
}
