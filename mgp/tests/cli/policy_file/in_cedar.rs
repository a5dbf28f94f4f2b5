//! Policies in Cedar, in a build that has them.

use crate::support::{User, text};
use serde_json::json;

const POLICIES: &str = r#"
@id("list")
permit(principal in Role::"guest", action == Action::"call", resource == Tool::"notes/list_notes");

@id("look-up")
permit(principal in Role::"guest", action == Action::"call", resource in Server::"notes")
when { resource.risk_rank <= 2 && context.arguments has text && context.arguments.text like "public *" };
"#;

/// A user with notes, whose configuration has a guest and names a policy file beside it.
fn user_with_policies(policies: &str) -> User {
    let user = User::with_notes();
    let own = user.own_configuration();
    let more = "\n[roles.guest]\ngrants = []\n[[agents]]\nid = \"guest\"\nroles = [\"guest\"]\n";
    let file = text(&own).replacen(
        "[[access.grants]]",
        "[access]\npolicy_file = \"access.cedar\"\n\n[[access.grants]]",
        1,
    );
    assert!(file.contains("policy_file"), "{file}");
    std::fs::write(&own, file + more).unwrap();
    std::fs::write(own.with_file_name("access.cedar"), policies).unwrap();
    user
}

#[test]
fn a_policy_file_decides_by_arguments_and_is_explained() {
    let user = user_with_policies(POLICIES);
    user.run(&["--agent", "guest", "call", "list_notes"]).succeeds();
    user.run(&["--agent", "guest", "call", "search_notes", r#"{"text":"public x"}"#]).succeeds();
    user.run(&["--agent", "guest", "call", "search_notes", r#"{"text":"secret"}"#]).fails_with(4);
    let listed = user.run(&["--agent", "guest", "tools"]).succeeds().stdout;
    assert!(listed.contains("search_notes") && listed.contains("list_notes"), "{listed}");

    let explain = |more: &[&str]| user.run(&[&["access", "explain", "guest"], more].concat());
    let shown = explain(&["list_notes"]).succeeds().stdout;
    assert!(shown.starts_with("allow (policy): policy \"list\" (access.cedar:2) permits it\n"), "{shown}");
    let shown = explain(&["search_notes"]).succeeds().stdout;
    assert!(shown.contains("policy \"look-up\" (access.cedar:5) permits it for some arguments"), "{shown}");
    explain(&["search_notes", "--arguments", r#"{"text":"public x"}"#]).succeeds();
    let refused = explain(&["search_notes", "--arguments", r#"{"text":"secret"}"#]).fails_with(4);
    let none = "no rule is about it, and no policy applies, so the server's default policy opt-in decides";
    assert!(refused.stdout.contains(none), "{refused:?}");
    let refused = explain(&["search_notes", "--arguments", r#"{"text":1}"#]).fails_with(4);
    assert!(
        refused.stdout.contains("deny (policy): policy \"look-up\" (access.cedar:5) cannot be evaluated"),
        "{refused:?}"
    );
    let wrong = explain(&["search_notes", "--arguments", "[1]"]).fails_with(2);
    assert!(wrong.stderr.contains("expected a JSON object"), "{wrong:?}");
    for server in [&["notes", "--arguments", "{}"][..], &["notes", "--rules", "--arguments", "{}"]] {
        let wrong = explain(server).fails_with(2);
        assert!(wrong.stderr.contains("arguments are for a call, and \"notes\" is a server"), "{wrong:?}");
    }
    // Without its server, nothing is known of the tool's risk.
    let rules = explain(&["notes", "list_notes", "--rules"]).fails_with(4);
    assert!(rules.stdout.contains("policy \"look-up\"") && rules.stdout.contains("risk_rank"), "{rules:?}");
    let (code, found) = user.json(&["access", "explain", "guest", "notes", "list_notes"]);
    assert_eq!((code, &found["policy"], &found["source"]), (0, &json!("list"), &json!("default_policy")));

    // A rule stands above the policies.
    user.run(&["access", "grant", "guest", "notes", "list_notes", "--deny"]).succeeds();
    user.run(&["--agent", "guest", "call", "list_notes"]).fails_with(4);
    let shown = user.run(&["tools", "show", "list_notes"]).succeeds().stdout;
    assert!(shown.contains("  guest  deny   tool_grant"), "{shown}");
}

#[test]
fn a_refusal_by_a_policy_is_in_the_trail_with_its_name() {
    let user = user_with_policies("@id(\"closed\") forbid(principal in Role::\"guest\", action, resource);");
    user.run(&["--agent", "guest", "call", "list_notes"]).fails_with(4);
    let trail = user.run(&["audit", "--type", "TOOL_BLOCKED", "--json"]).succeeds().stdout;
    assert!(trail.contains("policy \\\"closed\\\" (access.cedar:1) forbids it"), "{trail}");
}

#[test]
fn a_wrong_policy_file_stops_only_commands_that_need_it() {
    let user = user_with_policies("permit(principal, action, resource) when { resource.risc == \"safe\" };");
    let failed = user.run(&["tools"]).fails_with(3);
    for part in [
        "access.policy_file: ",
        "access.cedar:1:44: policy \"policy0\": attribute `risc`",
        "mgp access schema",
    ] {
        assert!(failed.stderr.contains(part), "{part}: {failed:?}");
    }
    user.run(&["access", "grant", "guest", "notes"]).succeeds();
    user.run(&["access", "list"]).succeeds();
    let file = user.own_configuration().with_file_name("access.cedar");
    std::fs::write(&file, "permit(principal in Role::\"gest\", action, resource);").unwrap();
    let failed = user.run(&["tools"]).fails_with(3);
    let expected =
        "access.cedar:1:1: policy \"policy0\": there is no role \"gest\": expected one of \"guest\"";
    assert!(failed.stderr.contains(expected), "{failed:?}");
    std::fs::remove_file(user.own_configuration().with_file_name("access.cedar")).unwrap();
    let failed = user.run(&["tools"]).fails_with(3);
    assert!(failed.stderr.contains("access.policy_file: failed to read "), "{failed:?}");
}

#[test]
fn a_project_s_policy_file_is_trusted_only_until_it_changes() {
    let user = User::new();
    user.write("mgp.toml", "[access]\npolicy_file = \"access.cedar\"\n");
    user.write("access.cedar", "permit(principal == Agent::\"ben\", action, resource);");
    user.run(&["servers"]).fails_with(3);
    let trusted = user.run(&["trust"]).succeeds();
    assert!(trusted.stdout.contains("agents may call by the policies of:\n  "), "{trusted:?}");
    user.run(&["servers"]).succeeds();
    user.write("access.cedar", "permit(principal, action, resource);");
    let refused = user.run(&["servers"]).fails_with(3);
    assert!(refused.stderr.contains("access.cedar: it changed since it was trusted"), "{refused:?}");
    user.run(&["servers", "--trust"]).succeeds();
    user.run(&["trust"]).succeeds();
    user.run(&["servers"]).succeeds();
    user.write("access.cedar", "permit(");
    user.run(&["trust"]).fails_with(3);
    user.run(&["trust", "--remove"]).succeeds();
    assert!(!user.run(&["trust", "--list"]).succeeds().stdout.contains("access.cedar"));
}

#[test]
fn the_schema_is_printed() {
    let shown = user_with_policies("").run(&["access", "schema"]).succeeds().stdout;
    assert!(shown.contains("entity Agent in [Role];") && shown.contains("action call appliesTo"), "{shown}");
}
