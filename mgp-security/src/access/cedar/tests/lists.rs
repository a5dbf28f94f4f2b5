//! Decisions without a call: a tool is shown if it may be called with any arguments at all.

use super::*;
use AccessDecision::{Allow, Deny};

fn shown(text: &str) -> Option<AccessDecision> {
    let any = |request: &mut AccessRequest<'_>| request.tool.as_mut().unwrap().arguments = CallArguments::Any;
    ask(&policies(text), any).map(|found| found.decision)
}

#[test]
fn a_tool_that_some_arguments_allow_is_shown() {
    for (condition, expected) in [
        (r#"when { context.arguments.path like "/tmp/*" }"#, Some(Allow)),
        (r#"unless { context.arguments.path like "/etc/*" }"#, Some(Allow)),
        (r#"when { !(context.arguments has force) }"#, Some(Allow)),
        (r#"when { context.arguments has a.b }"#, Some(Allow)),
        (r#"when { resource.risk == "moderate" && context.arguments.n < 3 }"#, Some(Allow)),
        (r#"when { resource.risk == "dangerous" && context.arguments.n < 3 }"#, None),
        (r#"when { resource.risk == "dangerous" || context.arguments.n < 3 }"#, Some(Allow)),
        (r#"when { context.arguments.n < 3 } when { context.hour == 3 }"#, None),
        (r#"unless { resource.risk == "moderate" || context.arguments.n < 3 }"#, None),
        (r#"when { if context.arguments.n < 3 then context.hour == 9 else false }"#, Some(Allow)),
        (r#"when { if context.arguments.n < 3 then context.hour == 8 else false }"#, None),
        (r#"when { if context.hour == 9 then context.arguments.n < 3 else false }"#, Some(Allow)),
        (r#"when { if context.hour == 8 then context.arguments.n < 3 else false }"#, None),
        (r#"when { if context.arguments.n < 3 then context.hour == 8 else context.hour == 9 }"#, Some(Allow)),
        (r#"when { context.arguments == {a: 1} }"#, Some(Allow)),
        (r#"when { context.arguments.who is Agent }"#, Some(Allow)),
        (r#"when { context has arguments }"#, Some(Allow)),
        (r#"when { !(context.arguments.force || resource.name == "read") }"#, None),
    ] {
        let text = format!("permit(principal, action == Action::\"call\", resource) {condition};");
        assert_eq!(shown(&text), expected, "{condition}");
    }
    let found = ask(
        &policies(r#"permit(principal, action == Action::"call", resource) when { context.arguments.a };"#),
        |request| {
            request.tool.as_mut().unwrap().arguments = CallArguments::Any;
        },
    );
    assert_eq!(found.unwrap().reason, r#"policy "policy0" (access.cedar:1) permits it for some arguments"#);
}

#[test]
fn a_forbid_hides_a_tool_only_if_it_applies_to_all_arguments() {
    for (condition, expected) in [
        ("", Deny),
        (r#"when { context.arguments.path like "/etc/*" }"#, Allow),
        (r#"unless { context.arguments.path like "/tmp/*" }"#, Allow),
        (r#"when { context.hour == 9 || context.arguments.n > 3 }"#, Deny),
        (r#"when { context.hour == 9 && context.arguments.n > 3 }"#, Allow),
        (r#"when { if context.arguments.n < 3 then context.hour == 9 else context.weekday == 1 }"#, Deny),
        (r#"when { if context.arguments.n < 3 then context.hour == 9 else context.weekday == 2 }"#, Allow),
        // These read no arguments.
        (r#"when { resource is Tool }"#, Deny),
        (r#"when { context has hour }"#, Deny),
        (r#"when { {name: resource.name}.name == "read" }"#, Deny),
        (r#"when { (if resource.name == "read" then 1 else 2) == 1 }"#, Deny),
    ] {
        let text = format!(
            "permit(principal, action, resource); forbid(principal, action == Action::\"call\", resource) {condition};"
        );
        assert_eq!(shown(&text), Some(expected), "{condition}");
    }
}

#[tokio::test]
async fn lists_look_up_a_tool_s_profile() {
    #[derive(Debug)]
    struct OneTool;
    impl ToolProfiles for OneTool {
        fn profile(&self, tool: &ToolId) -> Option<Arc<ToolProfile>> {
            (&*tool.tool_name == "read").then(|| Arc::new(profile(RiskLevel::Safe)))
        }
    }
    let control = AccessControl::open(Arc::new(SqlAccessStore::in_memory())).await.unwrap();
    control.set_server("files", DefaultPolicy::OptIn);
    control.add_agent("ann");
    control.set_policy(Arc::new(policies(
        r#"permit(principal, action == Action::"call", resource) when { resource.risk == "safe" };"#,
    )));
    assert!(!control.query("ann", "files", Some("read")).allows(), "nothing is known of it");
    control.set_profiles(Arc::new(OneTool));
    assert!(control.query("ann", "files", Some("read")).allows());
    assert!(!control.query("ann", "files", Some("other")).allows());
}
