//! Mistakes in policy files.

use super::*;
use crate::access::cedar::bounds::{MAX_BYTES, MAX_DEPTH, MAX_SIGNS};

fn mistakes(text: &str) -> Vec<String> {
    let error = CedarPolicies::parse("access.cedar", text).expect_err(text).to_string();
    error.lines().map(str::to_owned).collect()
}

#[test]
fn a_mistake_is_named_with_its_position_and_the_expectation() {
    for (text, expected) in [
        (
            "permit(principal, action, resource)",
            "access.cedar:1:36: unexpected end of input: expected `;` or identifier",
        ),
        (
            "\n  permit(principal, action, resource) wen { true };",
            "access.cedar:2:39: invalid policy condition: wen: condition must be either `when` or `unless`",
        ),
        (
            "permit(principal, action == Action::\"cal\", resource);",
            "access.cedar:1:29: policy \"policy0\": unrecognized action `Action::\"cal\"`: did you mean `Action::\"call\"`?",
        ),
        (
            "@id(\"é\") permit(principal, action == Action::\"call\", resource) when { resource.risc == \"safe\" };",
            "access.cedar:1:71: policy \"é\": attribute `risc` on entity type `Tool` not found: did you mean `risk`?",
        ),
        (
            "permit(principal, action == Action::\"call\", resource)\nwhen { context.argumnts.x == 1 };",
            "access.cedar:2:8: policy \"policy0\": attribute `argumnts` in context for Action::\"call\" not found: did you mean `arguments`?",
        ),
        (
            "permit(principal == ?principal, action, resource);",
            "access.cedar:1:1: a template: expected a policy without ?principal and ?resource",
        ),
    ] {
        assert_eq!(mistakes(text), [expected], "{text}");
    }
}

#[test]
fn a_mistake_next_to_a_condition_on_arguments_has_its_position() {
    let text = "permit(principal, action == Action::\"call\", resource)\nwhen { context.arguments.x > 3 &&\n  resource.risc == \"safe\" };";
    let expected = "access.cedar:3:3: policy \"policy0\": attribute `risc` on entity type `Tool` not found: did you mean `risk`?";
    assert_eq!(mistakes(text), [expected]);
}

#[test]
fn arguments_exist_only_in_calls() {
    let text = "permit(principal, action, resource) when { context.arguments.x == 1 };";
    let found = mistakes(text);
    assert!(found[0].contains("`arguments`") && found[0].contains("Action::\"use\""), "{found:?}");
}

#[test]
fn a_policy_that_can_never_apply_is_refused_with_its_position() {
    for text in [
        r#"forbid(principal, action == Action::"call", resource == Server::"shop");"#,
        r#"forbid(principal, action == Action::"use", resource in Tool::"shop/buy");"#,
        r#"forbid(principal, action == Action::"call", resource) when { context.arguments.x == 1 && false };"#,
        r#"permit(principal, action == Action::"use", resource);"#,
        r#"permit(principal, action in [Action::"use"], resource);"#,
        r#"permit(principal, action, resource == Server::"shop");"#,
        r#"permit(principal, action, resource is Server);"#,
    ] {
        let found = mistakes(&format!("permit(principal, action, resource);\n @id(\"dead\") {text}"));
        let [found] = &found[..] else { panic!("{text}: {found:?}") };
        assert!(found.starts_with("access.cedar:2:2: policy \"dead\" can never apply: expected "), "{found}");
    }
    for text in [
        r#"forbid(principal, action == Action::"use", resource == Server::"shop");"#,
        r#"forbid(principal, action, resource == Server::"shop");"#,
        r#"permit(principal, action, resource in Server::"shop");"#,
        r#"permit(principal, action in [Action::"use", Action::"call"], resource);"#,
    ] {
        CedarPolicies::parse("access.cedar", text).unwrap();
    }
}

#[test]
fn an_unknown_risk_or_trust_is_refused() {
    let text = |condition: &str| {
        format!("\npermit(principal, action == Action::\"call\", resource) when {{ {condition} }};")
    };
    for (condition, expected) in [
        (
            r#"resource.risk == "dangerus""#,
            r#"`risk` is never "dangerus": expected "safe", "moderate" or "dangerous""#,
        ),
        (
            r#"!(context.hour == 1 || "Safe" != resource.risk)"#,
            r#"`risk` is never "Safe": expected "safe", "moderate" or "dangerous""#,
        ),
        (
            r#"if ["safe", "low"].contains(resource.risk) then context.arguments.a else false"#,
            r#"`risk` is never "low": expected "safe", "moderate" or "dangerous""#,
        ),
        (
            r#"resource.server.trust == "core""#,
            r#"`trust` is never "core": expected "sandboxed", "standard" or "trusted""#,
        ),
    ] {
        assert_eq!(mistakes(&text(condition)), [format!("access.cedar:2:1: policy \"policy0\": {expected}")]);
    }
    for condition in [
        r#"resource.risk == "safe" || ["moderate"].contains(resource.risk)"#,
        r#"resource.server.trust != "sandboxed""#,
        r#"context.arguments.risk == "low" && context.arguments.server.trust == "core""#,
        r#"resource.name == "risk""#,
    ] {
        CedarPolicies::parse("access.cedar", &text(condition)).unwrap();
    }
}

#[test]
fn unknown_roles_and_servers_are_named() {
    let found = |text: &str| {
        let checked = policies(text).check_names(&["dev", "ops"], &["files"]);
        checked.err().map(|error| error.to_string())
    };
    for text in [
        r#"permit(principal in Role::"dev", action, resource in Server::"files");"#,
        r#"permit(principal, action, resource) unless { principal in Role::"ops" || resource == Tool::"files/a/b" };"#,
        r#"forbid(principal, action, resource in Server::"later");"#,
    ] {
        assert_eq!(found(text), None, "{text}");
    }
    let role = r#"policy "policy0": there is no role "Dev": expected one of "dev", "ops""#;
    let server = r#"policy "policy0": there is no server "file": expected one of "files""#;
    for (text, expected) in [
        (r#"permit(principal in Role::"Dev", action, resource);"#, role),
        (r#"forbid(principal, action, resource) when { principal in [Role::"dev", Role::"Dev"] };"#, role),
        (r#"permit(principal, action, resource in Server::"file");"#, server),
        (r#"permit(principal, action, resource == Tool::"file/read");"#, server),
    ] {
        let expected = format!("/etc/access.cedar:2:1: {expected}");
        assert_eq!(found(&format!("\n{text}")), Some(expected), "{text}");
    }
}

#[test]
fn a_configuration_without_roles_is_reported() {
    let checked = policies(r#"permit(principal in Role::"dev", action, resource);"#).check_names(&[], &[]);
    let error = checked.unwrap_err().to_string();
    assert!(error.ends_with(r#"there is no role "dev": the configuration has no role"#), "{error}");
}

#[test]
fn mistakes_are_listed_up_to_a_bound() {
    let wrong = "permit(principal is Agnt, action, resource);\n";
    let found = mistakes(&wrong.repeat(2));
    assert!(
        found.len() == 2
            && found[0].starts_with("access.cedar:1:21")
            && found[1].starts_with("access.cedar:2:21"),
        "{found:?}"
    );
    assert_eq!(mistakes(&wrong.repeat(30)).len(), 20);
}

#[test]
fn a_file_is_bounded() {
    let when = |condition: &str| format!("permit(principal, action, resource) when {{ {condition} }};");
    let nested = |depth: usize| when(&format!("{}true{}", "(".repeat(depth), ")".repeat(depth)));
    assert!(CedarPolicies::parse("x", &nested(MAX_DEPTH - 1)).is_ok());
    assert!(mistakes(&nested(MAX_DEPTH))[0].contains("too many open brackets: expected at most 32"));
    let long = |count: usize| when(&format!("true{}", " && true".repeat(count)));
    assert!(CedarPolicies::parse("x", &long((MAX_SIGNS - 1) / 2)).is_ok());
    assert!(mistakes(&long((MAX_SIGNS - 1) / 2 + 1))[0].contains("expected at most 1000 operators"));
    assert!(
        CedarPolicies::parse("x", &long((MAX_SIGNS - 1) / 2).repeat(3)).is_ok(),
        "each policy counts by itself"
    );
    for sign in ["if true then true else ", "-", "!"] {
        let text = when(&format!("{}true", sign.repeat(40_000)));
        assert!(mistakes(&text)[0].contains("expected at most 1000 operators"), "{sign}");
    }
    // A comment ends with its line, whatever ends the line.
    for newline in ["\n", "\r"] {
        let text = format!("// {newline}{}", nested(MAX_DEPTH));
        assert!(mistakes(&text)[0].contains("too many open brackets"), "{newline:?}");
    }
    let conditions = "when { true } ".repeat(MAX_SIGNS + 1);
    let many = mistakes(&format!("permit(principal, action, resource) {conditions};"));
    assert!(many[0].contains("expected at most 1000 operators"), "{many:?}");
    let in_a_string = when(&format!(r#"principal == Agent::"{}\"(""#, "(&if".repeat(2000)));
    assert!(CedarPolicies::parse("x", &in_a_string).is_ok());
    assert!(CedarPolicies::parse("x", &format!("// {}\n", "((((&&".repeat(2000))).is_ok());
    assert!(CedarPolicies::parse("x", &" ".repeat(MAX_BYTES)).is_ok());
    assert!(mistakes(&" ".repeat(MAX_BYTES + 1))[0].contains("expected at most 1048576"));
    let sum = |signs: usize| when(&format!("1{} > 0", " + 1".repeat(signs)));
    assert!(
        CedarPolicies::parse("x", &sum(MAX_SIGNS - 1)).is_ok(),
        "the condition's own bracket is a sign too"
    );
    assert!(mistakes(&sum(MAX_SIGNS))[0].contains("expected at most 1000 operators"));
    assert!(mistakes(&format!("/{}", nested(MAX_DEPTH)))[0].contains("too many open brackets"), "no comment");
    let named = |name: &str, behind: &str| when(&format!(r#"principal == Agent::"{name}"{behind}"#));
    let brackets = "(".repeat(MAX_DEPTH + 1);
    for name in ["a", r"\\"] {
        let behind_a_string = mistakes(&named(name, &format!(" && {brackets}")));
        assert!(behind_a_string[0].contains("too many open brackets"), "{name}");
    }
    assert!(CedarPolicies::parse("x", &named(&format!(r#"\"{brackets}"#), "")).is_ok());
    for open in ["\"", "\"\\", "//", "permit(principal, action, resource) when { \"", "@id(\"\\\""] {
        let _ = CedarPolicies::parse("x", open);
    }
}

#[test]
fn a_file_is_read_and_its_mistakes_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("access.cedar");
    assert!(CedarPolicies::read(&path).unwrap_err().to_string().contains("failed to read the policy file"));
    std::fs::write(&path, "permit(principal, action, resource);").unwrap();
    let read = CedarPolicies::read(&path).unwrap();
    assert_eq!(ask(&read, |_| ()).unwrap().reason, r#"policy "policy0" (access.cedar:1) permits it"#);
    std::fs::write(&path, b"// \n\xff").unwrap();
    let error = CedarPolicies::read(&path).unwrap_err().to_string();
    assert!(error.ends_with("access.cedar:2:1: not UTF-8: expected text"), "{error}");
    for (length, fits) in [(MAX_BYTES, true), (MAX_BYTES + 1, false)] {
        std::fs::write(&path, "/".repeat(length)).unwrap();
        assert_eq!(CedarPolicies::read(&path).is_ok(), fits, "{length} bytes of a comment");
    }
    std::fs::write(&path, "// nothing").unwrap();
    assert_eq!(ask(&CedarPolicies::read(&path).unwrap(), |_| ()), None);
}
