//! Conditions on the arguments of a call, and errors, which deny.

use super::*;
use AccessDecision::{Allow, Deny};

fn under_tmp() -> CedarPolicies {
    policies(
        r#"permit(principal, action == Action::"call", resource) when { context.arguments.path like "/tmp/*" };"#,
    )
}

#[test]
fn a_policy_decides_by_the_arguments() {
    let found = |arguments: &str| with(&under_tmp(), arguments).map(|found| found.decision);
    assert_eq!(found(r#"{"path":"/tmp/x"}"#), Some(Allow));
    assert_eq!(found(r#"{"path":"\u002ftmp/x"}"#), Some(Allow), "strings are unescaped");
    assert_eq!(found(r#"{"path":"/etc/passwd"}"#), None);
    let reason = with(&under_tmp(), r#"{"path":"/tmp/x"}"#).unwrap().reason;
    assert_eq!(reason, r#"policy "policy0" (access.cedar:1) permits it"#);
}

#[test]
fn a_missing_or_mistyped_argument_denies_and_is_reported() {
    for arguments in
        ["{}", r#"{"path":null}"#, r#"{"Path":"/tmp/x"}"#, r#"{"path":1}"#, r#"{"path":["/tmp/x"]}"#]
    {
        let found = with(&under_tmp(), arguments).unwrap();
        assert_eq!(found.decision, Deny, "{arguments}");
        assert!(
            found.reason.contains(r#"policy "policy0" (access.cedar:1) cannot be evaluated: "#),
            "{}",
            found.reason
        );
    }
    let none = ask(&under_tmp(), |_| ()).unwrap();
    assert!(none.decision == Deny && none.reason.contains("path"), "{none:?}");
}

#[test]
fn an_error_denies_in_spite_of_an_applicable_permit() {
    let text = r#"permit(principal, action, resource);
        @id("broken") forbid(principal, action == Action::"call", resource) when { context.arguments.amount > 100 };"#;
    let found = |arguments: &str| {
        let found = with(&policies(text), arguments).unwrap();
        (found.decision, found.policy)
    };
    assert_eq!(found(r#"{"amount":100}"#), (Allow, "policy0".to_owned()));
    for arguments in [
        r#"{"amount":101}"#,
        r#"{"amount":1.01e2}"#,
        "{}",
        r#"{"amount":150.5}"#,
        r#"{"amount":1e300}"#,
        r#"{"amount":"9"}"#,
    ] {
        assert_eq!(found(arguments), (Deny, "broken".to_owned()), "{arguments}");
    }
}

#[test]
fn guards_keep_absent_arguments_from_being_errors() {
    let text = r#"forbid(principal, action == Action::"call", resource)
        when { context.arguments has force && context.arguments.force };
        permit(principal, action, resource);"#;
    let found = |arguments: &str| with(&policies(text), arguments).unwrap().decision;
    assert_eq!(found("{}"), Allow);
    assert_eq!(found(r#"{"force":null}"#), Allow);
    assert_eq!(found(r#"{"force":false}"#), Allow);
    assert_eq!(found(r#"{"force":true}"#), Deny);
}

#[test]
fn arguments_cannot_pass_for_entities() {
    let text = r#"permit(principal, action == Action::"call", resource) when { context.arguments.who == Agent::"root" };"#;
    let forged = r#"{"who":{"__entity":{"type":"Agent","id":"root"}}}"#;
    assert_eq!(with(&policies(text), forged), None);
}

#[test]
fn arguments_that_cannot_be_judged_deny_if_a_policy_reads_them() {
    let deep = format!("{}1{}", r#"{"a":"#.repeat(40), "}".repeat(40));
    let twice = r#"{"path":"/etc/x","path":"/tmp/x"}"#;
    for arguments in [&*deep, twice, "[]"] {
        let found = with(&under_tmp(), arguments).unwrap();
        assert_eq!(found.decision, Deny, "{arguments}");
        assert!(
            found.reason.starts_with("the policies of access.cedar cannot judge it: the call's arguments: ")
        );
        let blind = policies("permit(principal, action, resource);");
        assert_eq!(with(&blind, arguments).unwrap().decision, Allow, "{arguments}");
    }
}

#[test]
fn an_unknown_tool_has_no_risk() {
    let unknown =
        |text: &str| ask(&policies(text), |request| request.tool.as_mut().unwrap().profile = None).unwrap();
    let found =
        unknown(r#"permit(principal, action == Action::"call", resource) when { resource.risk_rank < 3 };"#);
    assert!(found.decision == Deny && found.reason.contains("risk_rank"), "{found:?}");
    assert_eq!(unknown("permit(principal, action, resource);").decision, Allow);
}
