//! Tests of patterns in the names of servers and tools: their precedence, and the servers and tools that they match.

use super::*;
use AccessDecision::{Allow, Deny};
use AccessSource::{DefaultPolicy as ByDefault, ServerGrant, ToolGrant};
use mgp_transport::seam::Visibility;
use mgp_types::{
    access::{AccessDecision, AccessEntry, AccessSource, DefaultPolicy, EntryType},
    context::{Principal, ToolId},
    json::Nullable,
};
use std::{collections::BTreeSet, sync::Arc};

/// Returns a rule of the agent `a` about `server`, or about a tool as `server/tool`.
fn rule(permission: AccessDecision, about: &str) -> AccessEntry {
    let entry = match permission {
        Allow => AccessEntry::allow("a"),
        Deny => AccessEntry::deny("a"),
    };
    match about.split_once('/') {
        Some((server, tool)) => entry.server(server).tool(tool),
        None => entry.server(about),
    }
}

async fn control(rules: &[(AccessDecision, &str)]) -> AccessControl {
    let control = AccessControl::open(Arc::new(SqlAccessStore::in_memory())).await.unwrap();
    for server in ["fs-1", "fs-2", "web"] {
        control.set_server(server, DefaultPolicy::OptIn);
    }
    for (permission, about) in rules {
        control.put(rule(*permission, about)).await.unwrap();
    }
    control
}

fn judged(control: &AccessControl, server: &str, tool: &str) -> (AccessDecision, AccessSource) {
    let judgement = control.query("a", server, Some(tool));
    (judgement.decision, judgement.source)
}

#[tokio::test]
async fn the_more_precise_rule_wins_and_a_denial_wins_a_tie() {
    // The rule that decides on the tool read_file of fs-1 comes first.
    for (decides, gives_way) in [
        ("fs-1/read_file", "fs-1/read_*"),
        ("fs-1/read_file", "*/read_file"),
        ("*/read_file", "fs-1/read_*"),
        ("*/read_f*", "fs-1/read_*"),
        ("fs-1/read_*", "fs-*/read_*"),
        ("fs-*/read_*", "*/read_*"),
        ("*/*", "fs-1"),
        ("fs-1", "fs-*"),
        ("fs-*", "f*"),
        ("f*", "*"),
    ] {
        for (first, second) in [(Allow, Deny), (Deny, Allow)] {
            let source = if decides.contains('/') { ToolGrant } else { ServerGrant };
            for rules in [[(first, decides), (second, gives_way)], [(second, gives_way), (first, decides)]] {
                let found = judged(&control(&rules).await, "fs-1", "read_file");
                assert_eq!(found, (first, source), "{decides} should stand above {gives_way}");
            }
        }
    }
    for (one, other) in [
        ("fs-1/read_*", "fs-1/*_file"),
        ("fs-1/read_*", "fs-1/read_**"),
        ("fs-*/read_file", "*s-1/read_file"),
        ("fs-*", "*s-1"),
    ] {
        for rules in [[(Allow, one), (Deny, other)], [(Deny, one), (Allow, other)]] {
            assert_eq!(judged(&control(&rules).await, "fs-1", "read_file").0, Deny, "{one} {other}");
        }
    }
}

#[tokio::test]
async fn a_pattern_applies_only_to_its_matches() {
    let control = control(&[(Allow, "fs-*/read_*"), (Allow, "web")]).await;
    for (server, tool, expected) in [
        ("fs-1", "read_file", (Allow, ToolGrant)),
        ("fs-2", "read_", (Allow, ToolGrant)),
        ("fs-1", "write_file", (Deny, ByDefault)),
        ("fs-1", "Read_file", (Deny, ByDefault)),
        ("web", "read_page", (Allow, ServerGrant)),
        ("fs-3", "read_file", (Deny, ByDefault)),
    ] {
        assert_eq!(judged(&control, server, tool), expected, "{server} {tool}");
        let seen = control.view(&Principal::agent("a")).sees(&ToolId::new(server, tool));
        assert_eq!(seen, expected.0 == Allow, "{server} {tool}");
    }
    assert!(!control.query("b", "fs-1", Some("read_file")).allows(), "a rule is for its agent");
}

#[tokio::test]
async fn an_ended_pattern_gives_way_to_the_next() {
    let control = control(&[(Allow, "fs-1/r*"), (Deny, "fs-*")]).await;
    let ended = rule(Deny, "fs-1/read_*").expires_at("2020-01-01T00:00:00Z");
    control.put(ended).await.unwrap();
    assert_eq!(judged(&control, "fs-1", "read_file"), (Allow, ToolGrant));
    control.put(rule(Deny, "fs-1/read_*").expires_at("2999-01-01T00:00:00Z")).await.unwrap();
    assert_eq!(judged(&control, "fs-1", "read_file"), (Deny, ToolGrant));
    control.remove(AccessKey::from(&rule(Deny, "fs-1/read_*"))).await.unwrap();
    assert_eq!(judged(&control, "fs-1", "read_file"), (Allow, ToolGrant));
}

#[tokio::test]
async fn a_view_of_servers_follows_patterns() {
    for (rules, sees_server, all, some) in [
        (&[(Allow, "fs-*")][..], true, Some(true), true),
        (&[(Allow, "*")], true, Some(true), true),
        (&[(Allow, "fs-*"), (Deny, "fs-1")], false, Some(false), false),
        (&[(Deny, "fs-*"), (Allow, "fs-1")], true, Some(true), true),
        (&[(Allow, "fs-*"), (Deny, "*/write_*")], true, None, true),
        (&[(Allow, "fs-*/read_*")], false, None, true),
        (&[(Allow, "*/*")], false, None, true),
        (&[(Deny, "*/*"), (Allow, "fs-*/read_*")], false, None, true),
        (&[(Allow, "*/read_*"), (Deny, "fs-1/read_*")], false, None, false),
        (&[(Allow, "web/*")], false, Some(false), false),
    ] {
        let control = control(rules).await;
        let view = control.view(&Principal::agent("a"));
        let found = (
            view.sees_server("fs-1"),
            view.sees_all_tools("fs-1"),
            control.allows_some(&Principal::agent("a"), "fs-1"),
        );
        assert_eq!(found, (sees_server, all, some), "{rules:?}");
    }
}

#[tokio::test]
async fn only_a_rule_that_names_it_opens_a_self_registered_server() {
    for (rules, expected) in [
        (&[(Allow, "new")][..], Allow),
        (&[(Allow, "new/t")], Allow),
        (&[(Allow, "new/*")], Allow),
        (&[(Allow, "*")], Deny),
        (&[(Allow, "n*/t")], Deny),
        (&[(Allow, "*/*")], Deny),
        (&[(Allow, "new"), (Deny, "*/t")], Deny),
        (&[(Allow, "new"), (Deny, "ne*")], Allow),
    ] {
        let control = control(rules).await;
        control.set_registered_server("new");
        assert_eq!(judged(&control, "new", "t").0, expected, "{rules:?}");
        control.set_server("new", DefaultPolicy::OptIn);
        let named = if rules.iter().any(|(permission, about)| (*permission, *about) == (Deny, "*/t")) {
            Deny
        } else {
            Allow
        };
        assert_eq!(judged(&control, "new", "t").0, named, "{rules:?} of the configuration");
    }
}

#[tokio::test]
async fn an_unreadable_pattern_denies_everything_it_matches() {
    let unreadable = |tool: &str| UnreadableRule {
        entry_type: Some(EntryType::ToolGrant),
        agent_id: Some("a".into()),
        server_id: Some("fs-*".into()),
        tool_name: Some(tool.into()),
        permission: None,
        problem: "test".into(),
    };
    let source = |rule: &UnreadableRule, server, tool| rule.denies("a", server, Some(tool));
    let rule = unreadable("read_*");
    assert_eq!(source(&rule, "fs-1", "read_file"), Some(ToolGrant));
    assert_eq!(source(&rule, "fs-1", "write_file"), None);
    assert_eq!(source(&rule, "web", "read_file"), None);
    assert!(rule.may_be_about("a", "fs-2") && !rule.may_be_about("a", "web"));
}

#[tokio::test]
async fn an_explanation_names_the_deciding_rule_and_why_others_lost() {
    let control = control(&[
        (Allow, "fs-*"),
        (Deny, "fs-1/write_*"),
        (Allow, "fs-1/write_file"),
        (Allow, "fs-1/read_file"),
        (Allow, "web"),
    ])
    .await;
    control.put(rule(Deny, "fs-1").expires_at("2020-01-01T00:00:00Z")).await.unwrap();
    let explain = |server: &str, tool| {
        let explanation = control.explain("a", server, tool);
        let rules = explanation.rules.iter().map(|rule| {
            let (server, tool) = (rule.server_id.clone().unwrap(), rule.tool_name.clone());
            (tool.map_or(server.clone(), |tool| format!("{server}/{tool}")), rule.standing)
        });
        (explanation.judgement.decision, rules.collect::<Vec<_>>())
    };
    use RuleStanding::{Decides, Ended, OtherServer, OtherTool, Overridden, Registered};
    let named = |rules: &[(&str, RuleStanding)]| -> Vec<_> {
        rules.iter().map(|(rule, standing)| ((*rule).to_owned(), *standing)).collect()
    };
    assert_eq!(
        explain("fs-1", Some("write_file")),
        (
            Allow,
            named(&[
                ("fs-1/write_file", Decides),
                ("fs-1/write_*", Overridden),
                ("fs-1", Ended),
                ("fs-*", Overridden),
                ("fs-1/read_file", OtherTool),
                ("web", OtherServer),
            ])
        )
    );
    assert_eq!(explain("fs-1", None).1[..2], named(&[("fs-1", Ended), ("fs-*", Decides)]));
    control.set_registered_server("fs-1");
    assert_eq!(explain("fs-1", Some("x")), (Deny, explain("fs-1", Some("x")).1));
    assert!(explain("fs-1", Some("x")).1.contains(&("fs-*".to_owned(), Registered)));
    let unknown = control.explain("a", "nowhere", None);
    assert_eq!((unknown.judgement.source, unknown.default_policy), (ByDefault, None));
    let stranger = control.explain("b", "web", None);
    assert!(stranger.rules.is_empty() && !stranger.agent_is_known && stranger.default_policy.is_some());
}

#[tokio::test]
async fn agents_with_rules_for_a_server_come_from_names_and_patterns() {
    let control = control(&[(Allow, "fs-*/read_*")]).await;
    control.put(AccessEntry::deny("b").server("fs-2")).await.unwrap();
    control
        .put(AccessEntry { granted_by: Nullable::Absent, ..AccessEntry::allow("c").server("web") })
        .await
        .unwrap();
    assert!(control.agents_with_rules("fs-2").iter().eq(["a", "b"]));
    assert!(control.agents_with_rules("web").iter().eq(["c"]));
}

#[test]
fn every_standing_has_its_sentence() {
    use RuleStanding::{Decides, Ended, OtherServer, OtherTool, Overridden, Registered, Unreadable};
    let all = [Decides, Overridden, Ended, Registered, Unreadable, OtherTool, OtherServer];
    let sentences: BTreeSet<_> = all.into_iter().map(RuleStanding::as_sentence).collect();
    assert_eq!(sentences.len(), all.len());
}
