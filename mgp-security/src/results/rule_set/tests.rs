//! The rules as a whole.

use super::*;
use crate::results::pattern::compile;

fn rule_set() -> &'static RuleSet {
    RuleSet::get().unwrap()
}

#[test]
fn every_gitleaks_rule_is_used_except_those_for_files() {
    let config: RuleSetConfig = toml::from_str(GITLEAKS).unwrap();
    assert_eq!((config.rules.len(), rule_set().rules.len()), (222, 218));
    let unused: Vec<_> =
        config.rules.iter().filter(|rule| !rule.holds_in_texts()).map(|rule| rule.id.as_str()).collect();
    assert_eq!(
        unused,
        ["freemius-secret-key", "hashicorp-tf-password", "nuget-config-password", "pkcs12-file"]
    );
}

#[test]
fn every_gitleaks_pattern_compiles() {
    let config: RuleSetConfig = toml::from_str(GITLEAKS).unwrap();
    for rule in config.rules {
        assert!(compile(rule.regex.as_deref().unwrap_or_default()).is_ok(), "{}", rule.id);
        for list in &rule.allowlists {
            assert!(Allowlist::compile(list).is_ok(), "{}", rule.id);
        }
    }
    for rule in &rule_set().rules {
        assert!(rule.find(b"", &rule_set().allowed, |_, _| {}).is_ok(), "{}", rule.id());
    }
}

#[test]
fn a_rule_name_needs_no_escape_in_json() {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    for rule in &rule_set().rules {
        assert!(rule.id().chars().all(plain), "{}", rule.id());
    }
}

#[test]
fn an_exception_for_an_unknown_rule_is_an_error() {
    let exceptions = "[[rules.no-such-rule]]\nregexes = ['a']";
    assert!(RuleSet::parse(GITLEAKS, exceptions).unwrap_err().contains("no-such-rule"));
}

#[test]
fn a_secret_found_twice_has_the_more_specific_rule_s_name() {
    let text = format!("token = \"ghp{}\"", "_x7Qd2LwZ9rTb4NcV8sKf1JhG5mYp3AeU6oRi");
    let found =
        rule_set().find(text.as_bytes(), Instant::now() + std::time::Duration::from_secs(60)).unwrap();
    assert_eq!(found, [SecretSpan { range: 9..49, rule: "github-pat" }]);
}

#[test]
fn an_excluded_placeholder_is_not_found() {
    let found = |text: String| {
        let deadline = Instant::now() + std::time::Duration::from_secs(60);
        rule_set().find(text.as_bytes(), deadline).unwrap().len()
    };
    // The letters in their order are an example in the rules' list for all of them.
    assert_eq!(found(format!("key: ghp{}", "_abcdefghijklmnopqrstuvwxyz0123456789")), 0);
    assert_eq!(found(format!("key: ghp{}", "_abcdefghijklmnopqrstuvwxzy0123456789")), 1);
}
