//! The precedence of policies among rules and default policies, and the facts that they decide by.

use super::*;
use crate::audit::MemorySink;
use AccessDecision::{Allow, Deny};
use mgp_transport::seam::Visibility;
use mgp_types::{access::AccessQueryParams, context::Principal, json::Nullable};

const PERMIT: &str = r#"@id("yes") permit(principal, action, resource);"#;
const FORBID: &str = r#"@id("no") forbid(principal, action, resource);"#;
const NONE: &str = r#"permit(principal == Agent::"bob", action, resource);"#;

async fn control(default: DefaultPolicy, rule: Option<AccessEntry>, text: &str) -> AccessControl {
    let control = AccessControl::open(Arc::new(SqlAccessStore::in_memory())).await.unwrap();
    control.set_server("files", default);
    control.add_agent("ann");
    if let Some(rule) = rule {
        control.put(rule).await.unwrap();
    }
    control.set_policy(Arc::new(policies(text)));
    control
}

#[tokio::test]
async fn rules_precede_policies_and_policies_the_default() {
    let rules = [
        (None, None),
        (Some(AccessEntry::allow("ann").server("files")), Some(Allow)),
        (Some(AccessEntry::deny("ann").server("files")), Some(Deny)),
        (Some(AccessEntry::allow("ann").server("files").tool("read")), Some(Allow)),
        (Some(AccessEntry::deny("ann").server("*").tool("r*")), Some(Deny)),
    ];
    for (rule, by_rule) in rules {
        for (text, by_policy) in [(PERMIT, Some(Allow)), (FORBID, Some(Deny)), (NONE, None)] {
            for default in [DefaultPolicy::OptIn, DefaultPolicy::OptOut] {
                let control = control(default, rule.clone(), text).await;
                let judgement = control.query("ann", "files", Some("read"));
                let expected = by_rule.or(by_policy).unwrap_or(default.decision());
                assert_eq!(judgement.decision, expected, "{rule:?} {text} {default}");
                let policy = judgement.policy.map(|policy| policy.policy.clone());
                let named = by_policy.filter(|_| by_rule.is_none()).map(|found| match found {
                    Allow => "yes".to_owned(),
                    Deny => "no".to_owned(),
                });
                assert_eq!(policy, named, "{rule:?} {text} {default}");
                let view = control.view(&Principal::agent("ann"));
                assert_eq!(view.sees(&ToolId::new("files", "read")), expected == Allow);
                let all = view.sees_all_tools("files");
                assert!(all.is_none_or(|all| all == (expected == Allow)), "{rule:?} {text} {default}");
            }
        }
    }
}

#[tokio::test]
async fn role_rules_precede_policies_too_and_policies_know_the_roles() {
    let text = r#"permit(principal in Role::"dev", action, resource);"#;
    let roles = |rules: Vec<RoleRule>| Roles::new().role("dev", rules).agent("ann", ["dev"]);
    let control = control(DefaultPolicy::OptIn, None, text).await;
    assert!(!control.query("ann", "files", Some("read")).allows());
    control.set_roles(&roles(Vec::new()));
    assert!(control.query("ann", "files", Some("read")).allows());
    control.set_roles(&roles(vec![RoleRule::deny("files").tool("read")]));
    assert!(!control.query("ann", "files", Some("read")).allows());
    assert!(control.query("ann", "files", Some("write")).allows());
}

#[tokio::test]
async fn a_policy_does_not_admit_unknown_agents() {
    let everybody = control(DefaultPolicy::OptOut, None, PERMIT).await;
    assert!(!everybody.query("eve", "files", Some("read")).allows(), "an agent that nobody knows");
    assert!(!everybody.query("ann", "elsewhere", Some("read")).allows(), "a server that is not there");
    let named = control(DefaultPolicy::OptOut, None, NONE).await;
    assert!(named.query("bob", "files", Some("read")).allows(), "the policy names the agent");
    let forbidden =
        r#"forbid(principal == Agent::"bob", action, resource); permit(principal, action, resource);"#;
    let forbidden = control(DefaultPolicy::OptOut, None, forbidden).await;
    assert!(!forbidden.query("bob", "files", Some("read")).allows(), "a `forbid` lets nobody in");
    let excepted = r#"permit(principal, action, resource) unless { principal == Agent::"bob" };
        permit(principal, action, resource);"#;
    let excepted = control(DefaultPolicy::OptOut, None, excepted).await;
    assert!(!excepted.query("bob", "files", Some("read")).allows(), "an exception lets nobody in");
}

#[tokio::test]
async fn at_a_registered_server_a_policy_only_forbids() {
    let control = control(DefaultPolicy::OptIn, None, PERMIT).await;
    control.set_registered_server("new");
    let judgement = control.query("ann", "new", Some("read"));
    assert_eq!((judgement.decision, judgement.policy), (Deny, None));
    control.set_policy(Arc::new(policies(
        r#"forbid(principal, action, resource) when { resource in Server::"new" || resource == Server::"new" };"#,
    )));
    assert!(control.query("ann", "new", Some("read")).policy.is_some());
}

#[tokio::test]
async fn no_permit_opens_the_resources_of_a_server() {
    for default in [DefaultPolicy::OptIn, DefaultPolicy::OptOut] {
        for text in [
            PERMIT,
            r#"permit(principal, action, resource in Server::"files");"#,
            r#"permit(principal in Role::"dev", action, resource in Server::"files");"#,
            r#"permit(principal, action == Action::"call", resource);"#,
            NONE,
            FORBID,
        ] {
            let policies = control(default, None, text).await;
            policies.set_roles(&Roles::new().role("dev", Vec::new()).agent("ann", ["dev"]));
            assert!(!policies.view(&Principal::agent("ann")).sees_server("files"), "{text} {default}");
            let whole = policies.query("ann", "files", None);
            let by_default = if text == FORBID { Deny } else { default.decision() };
            assert_eq!(whole.decision, by_default, "{text} {default}");
            assert_eq!(whole.policy.is_some(), text == FORBID, "{text} {default}");
            let grant = AccessEntry::allow("ann").server("files");
            let granted = control(default, Some(grant), text).await;
            assert!(granted.view(&Principal::agent("ann")).sees_server("files"), "{text} {default}");
        }
    }
}

#[tokio::test]
async fn a_policy_judges_by_the_trust_in_the_server() {
    let text = r#"forbid(principal, action == Action::"call", resource) when { resource.server.trust == "sandboxed" };"#;
    let control = control(DefaultPolicy::OptOut, None, text).await;
    assert!(control.query("ann", "files", Some("read")).allows());
    control.set_trust("files", TrustLevel::Sandboxed);
    assert!(!control.query("ann", "files", Some("read")).allows());
}

#[tokio::test]
async fn an_explanation_of_a_call_uses_its_arguments() {
    let text = r#"permit(principal, action == Action::"call", resource) when { context.arguments.n < 3 };"#;
    let control = control(DefaultPolicy::OptIn, None, text).await;
    for (arguments, allows) in [(r#"{"n":2}"#, true), (r#"{"n":3}"#, false)] {
        let json = RawJson::parse(arguments.to_owned()).unwrap();
        let explained = control.explain_call("ann", &ToolId::new("files", "read"), Some(&json));
        assert_eq!(explained.judgement.allows(), allows, "{arguments}");
    }
}

#[tokio::test]
async fn a_server_with_a_permitted_tool_is_usable() {
    for (text, allows) in [(PERMIT, true), (NONE, false), (FORBID, false)] {
        let control = control(DefaultPolicy::OptIn, None, text).await;
        assert_eq!(control.allows_some(&Principal::agent("ann"), "files"), allows, "{text}");
    }
}

#[tokio::test]
async fn everybody_in_the_chain_needs_the_right() {
    let text = r#"permit(principal == Agent::"ann", action, resource); permit(principal == Agent::"bob", action, resource);"#;
    let control = control(DefaultPolicy::OptIn, None, text).await;
    let may = |principal: &Principal| control.authorize(principal, &ToolId::new("files", "read")).is_ok();
    let ann = Principal::agent("ann");
    assert!(may(&ann.on_behalf_of(["bob"])));
    assert!(!may(&ann.on_behalf_of(["bob", "eve"])));
}

#[tokio::test]
async fn a_query_names_the_policy() {
    let control = control(DefaultPolicy::OptIn, None, FORBID).await;
    let methods = crate::access::AccessMethods::new(control, Arc::new(MemorySink::new(10)));
    let params = AccessQueryParams {
        agent_id: "ann".into(),
        server_id: "files".into(),
        tool_name: Nullable::Value("read".into()),
    };
    let result = methods.query(&Principal::operator("op"), &params).unwrap();
    assert_eq!((result.source, result.policy), (AccessSource::DefaultPolicy, Nullable::Value("no".into())));
}

#[test]
fn a_forbid_overrides_a_permit_and_the_first_one_is_named() {
    let both = policies(&format!("{PERMIT}\n{FORBID}\n@id(\"later\") forbid(principal, action, resource);"));
    let found = ask(&both, |_| ()).unwrap();
    assert_eq!((found.decision, &*found.policy), (Deny, "no"));
    assert_eq!(found.reason, r#"policy "no" (access.cedar:2) forbids it"#);
    let unnamed = ask(&policies("\n\npermit(principal, action, resource);"), |_| ()).unwrap();
    assert_eq!(unnamed.reason, r#"policy "policy0" (access.cedar:3) permits it"#);
}

#[test]
fn policies_decide_by_agent_role_server_tool_and_risk() {
    let decides = |condition: &str| {
        let text = format!("permit(principal, action == Action::\"call\", resource) when {{ {condition} }};");
        decision(&text) == Some(Allow)
    };
    for condition in [
        r#"principal == Agent::"ann""#,
        r#"principal in Role::"dev""#,
        r#"resource == Tool::"files/read""#,
        r#"resource in Server::"files""#,
        r#"resource.server == Server::"files" && resource.name like "re*""#,
        r#"resource.server.trust == "standard" && !resource.server.registered"#,
        r#"resource.risk == "moderate""#,
        "resource.risk_rank >= 1 && resource.risk_rank < 2",
        r#"resource.permissions.isEmpty() && !resource.reads_only"#,
    ] {
        assert!(decides(condition), "{condition}");
    }
    for condition in [
        r#"principal == Agent::"bob""#,
        r#"principal in Role::"ops""#,
        r#"resource in Server::"web""#,
        r#"resource.risk == "dangerous""#,
    ] {
        assert!(!decides(condition), "{condition}");
    }
}

#[test]
fn the_rank_of_a_risk_rises_with_the_risk() {
    for (rank, risk) in [RiskLevel::Safe, RiskLevel::Moderate, RiskLevel::Dangerous].into_iter().enumerate() {
        let policies = policies(&format!(
            r#"permit(principal, action == Action::"call", resource) when {{ resource.risk_rank == {rank} }};"#
        ));
        let profile = profile(risk);
        let found = policies.decide(&AccessRequest {
            agent_id: "ann",
            roles: &[],
            server_id: "files",
            trust: TrustLevel::Standard,
            registered: false,
            tool: Some(RequestedTool {
                name: "read",
                profile: Some(&profile),
                arguments: CallArguments::Given(None),
            }),
            time: SystemTime::now(),
        });
        assert_eq!(found.map(|found| found.decision), Some(Allow), "{risk:?}");
    }
}

#[test]
fn a_sandboxed_server_s_read_only_hint_does_not_count() {
    let reading =
        policies(r#"permit(principal, action == Action::"call", resource) when { resource.reads_only };"#);
    let profile = ToolProfile { reads_only: true, ..profile(RiskLevel::Moderate) };
    for (trust, expected) in [
        (TrustLevel::Trusted, Some(Allow)),
        (TrustLevel::Standard, Some(Allow)),
        (TrustLevel::Sandboxed, None),
    ] {
        let roles = [];
        let found = reading.decide(&AccessRequest {
            agent_id: "ann",
            roles: &roles,
            server_id: "files",
            trust,
            registered: false,
            tool: Some(RequestedTool {
                name: "read",
                profile: Some(&profile),
                arguments: CallArguments::Any,
            }),
            time: SystemTime::now(),
        });
        assert_eq!(found.map(|found| found.decision), expected, "{trust:?}");
    }
}

#[test]
fn a_server_id_with_a_slash_cannot_pass_for_another() {
    let policies = policies(r#"permit(principal, action, resource == Tool::"a/b/c");"#);
    let called = |server: &'static str, tool: &'static str| {
        let found = ask(&policies, |request| {
            request.server_id = server;
            request.tool.as_mut().unwrap().name = tool;
        });
        found.unwrap()
    };
    assert_eq!(called("a", "b/c").decision, Allow);
    let refused = called("a/b", "c");
    assert_eq!(refused.decision, Deny);
    assert!(refused.reason.contains(r#"the server's id "a/b" has a slash"#), "{}", refused.reason);
}

#[test]
fn policies_decide_by_the_time() {
    let office = policies(
        r#"permit(principal, action, resource) when {
            context.weekday <= 5 && context.hour >= 9 && context.hour < 17 &&
            context.time < datetime("2027-01-01")
        };"#,
    );
    let at = |time: &str| {
        let time: jiff::Timestamp = time.parse().unwrap();
        ask(&office, |request| request.time = time.into()).is_some()
    };
    assert!(at("2026-03-02T09:00:00Z") && at("2026-03-06T16:59:59.999Z"));
    assert!(!at("2026-03-02T08:59:59Z") && !at("2026-03-02T17:00:00Z"));
    assert!(!at("2026-03-07T10:00:00Z"), "a Saturday");
    assert!(!at("2026-03-08T10:00:00Z"), "a Sunday");
    assert!(!at("2027-01-04T10:00:00Z"), "over");
    assert!(at("2026-03-02T08:30:00-01:00"), "the time is UTC");
}

#[tokio::test]
async fn tools_are_judged_one_by_one_if_policies_may_differ() {
    let text = r#"forbid(principal, action == Action::"call", resource == Tool::"files/read");"#;
    let open = control(DefaultPolicy::OptOut, None, text).await;
    let view = open.view(&Principal::agent("ann"));
    assert_eq!(view.sees_all_tools("files"), None);
    assert!(!view.sees(&ToolId::new("files", "read")) && view.sees(&ToolId::new("files", "write")));
    let granted = control(DefaultPolicy::OptIn, Some(AccessEntry::allow("ann").server("files")), text).await;
    assert_eq!(granted.view(&Principal::agent("ann")).sees_all_tools("files"), Some(true), "a rule decides");
}
