//! Tests of rules in SQLite: the fields that are kept, and rows that were edited by hand.

use super::{
    tests::{in_seconds, rule},
    *,
};
use crate::audit::{AuditError, AuditSink, MemorySink, StoreFuture};
use AccessDecision::{Allow, Deny};
use mgp_transport::seam::Visibility;
use mgp_types::{
    access::{AccessDecision, AccessGrantParams, DefaultPolicy},
    audit::AuditEvent,
    context::{Principal, ToolId},
    json::Nullable,
};
use std::sync::Arc;
use xtask_testing::{SharedDatabase, databases, until_some};

#[tokio::test]
async fn every_field_is_kept_and_other_writers_are_noticed() {
    for SharedDatabase { engine, here, there, .. } in databases(SqlAccessStore::SCHEMA).await {
        let (one, other) = (SqlAccessStore::new(here), SqlAccessStore::new(there));
        let mut entry = rule("a", Some("t"), Deny);
        entry.justification = Nullable::Value("why".into());
        entry.granted_at = in_seconds(0);
        entry.expires_at = in_seconds(60);
        let before = one.version().await.unwrap();
        other.put(entry.clone()).await.unwrap();
        until_some(async || (one.version().await.unwrap() != before).then_some(())).await;
        let expected = vec![entry.clone()];
        assert_eq!(one.load().await.unwrap().rows, expected, "{engine}");
        let mut server = rule("a", None, Allow);
        server.justification = Nullable::Null;
        one.put(rule("a", None, Deny)).await.unwrap();
        one.put(server.clone()).await.unwrap();
        assert_eq!(one.remove(AccessKey::from(&server)).await.unwrap(), Some(server.clone()), "{engine}");
        assert_eq!(one.remove(AccessKey::from(&server)).await.unwrap(), None, "{engine}");
        assert_eq!(other.load().await.unwrap().rows, expected, "{engine}");
    }
}

/// Returns rules that were stored, and then edited by hand.
async fn changed_by_hand(sql: &str) -> (tempfile::TempDir, AccessControl) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("access.sqlite3");
    let control = AccessControl::open(Arc::new(SqlAccessStore::open(&path).unwrap())).await.unwrap();
    for server in ["s", "other"] {
        control.set_server(server, DefaultPolicy::OptOut);
    }
    for agent in ["a", "b"] {
        control.add_agent(agent);
    }
    for rule in [rule("a", None, Allow), rule("a", Some("t"), Allow), rule("b", Some("t"), Deny)] {
        control.put(rule).await.unwrap();
    }
    let by_hand = rusqlite::Connection::open(&path).unwrap();
    by_hand.execute(sql, []).unwrap();
    drop(by_hand);
    // Opened like another process, which may revoke a rule in the meantime.
    let reopened = AccessControl::open(Arc::new(SqlAccessStore::open(&path).unwrap())).await.unwrap();
    for server in ["s", "other"] {
        reopened.set_server(server, DefaultPolicy::OptOut);
    }
    for agent in ["a", "b"] {
        reopened.add_agent(agent);
    }
    (folder, reopened)
}

fn may(control: &AccessControl, agent: &str, server: &str, tool: &str) -> bool {
    let tool = ToolId::new(server, tool);
    let allowed = control.check(&Principal::agent(agent), &tool).allows();
    let view = control.view(&Principal::agent(agent));
    assert_eq!(view.sees(&tool), allowed);
    assert!(view.sees_all_tools(server).is_none_or(|all| all == allowed), "{agent} {server}");
    allowed
}

#[tokio::test]
async fn an_unreadable_rule_denies_only_its_possible_subject() {
    // Whether the agent may still use the tool, for: a s.t, a s.u, a other.t, b s.t, b s.u
    for (sql, expected) in [
        (
            "UPDATE rules SET permission = 'maybe' WHERE agent_id = 'a' AND tool_name = 't'",
            [false, true, true, false, true],
        ),
        (
            "UPDATE rules SET permission = 'maybe' WHERE agent_id = 'a' AND tool_name = ''",
            [true, false, true, false, true],
        ),
        ("UPDATE rules SET permission = 'maybe' WHERE agent_id = 'b'", [true, true, true, false, true]),
        ("UPDATE rules SET entry_type = 'x' WHERE agent_id = 'b'", [true, true, true, false, false]),
        (
            "UPDATE rules SET entry_type = 'x' WHERE agent_id = 'a' AND tool_name = 't'",
            [true, true, true, false, true],
        ),
        ("UPDATE rules SET tool_name = '' WHERE agent_id = 'b'", [true, true, true, false, false]),
        (
            "UPDATE rules SET agent_id = CAST(x'ff' AS TEXT) WHERE agent_id = 'b'",
            [false, true, true, false, true],
        ),
        (
            "UPDATE rules SET server_id = CAST(x'ff' AS TEXT) WHERE agent_id = 'b'",
            [true, true, true, false, true],
        ),
        (
            "UPDATE rules SET expires_at = CAST(x'ff' AS TEXT) WHERE agent_id = 'b'",
            [true, true, true, false, true],
        ),
        ("UPDATE rules SET granted_by = CAST(x'ff' AS TEXT)", [true, true, true, false, true]),
    ] {
        let (_folder, control) = changed_by_hand(sql).await;
        let subjects =
            [("a", "s", "t"), ("a", "s", "u"), ("a", "other", "t"), ("b", "s", "t"), ("b", "s", "u")];
        let found = subjects.map(|(agent, server, tool)| may(&control, agent, server, tool));
        assert_eq!(found, expected, "{sql}");
        assert_eq!(control.unreadable().len(), usize::from(!sql.contains("granted_by")), "{sql}");
    }
}

#[tokio::test]
async fn revoking_and_granting_work_despite_an_unreadable_row() {
    let (_folder, control) =
        changed_by_hand("UPDATE rules SET permission = 'maybe' WHERE agent_id = 'b'").await;
    assert!(may(&control, "a", "s", "t"));
    control.put(rule("a", Some("t"), Deny)).await.unwrap();
    assert!(!may(&control, "a", "s", "t"));
    let said = control.unreadable()[0].to_string();
    assert!(said.contains("\"b\"") && said.contains("maybe") && said.contains("it denies"), "{said}");
    assert_eq!(control.entries().await.unwrap().len(), 2);
    control.put(rule("b", Some("t"), Allow)).await.unwrap();
    assert!(may(&control, "b", "s", "t") && control.unreadable().is_empty(), "it is replaced");
}

#[tokio::test]
async fn an_unreadable_tool_rule_overrides_a_readable_pattern() {
    let (_folder, control) =
        changed_by_hand("UPDATE rules SET permission = 'maybe' WHERE agent_id = 'a'").await;
    control.put(rule("a", Some("t*"), Allow)).await.unwrap();
    assert_eq!(control.unreadable().len(), 2);
    assert!(may(&control, "a", "s", "t2"), "the pattern stands above the rule for the server");
    assert!(!may(&control, "a", "s", "t"));
}

#[tokio::test]
async fn an_unreadable_rule_reports_its_subject_and_effect() {
    for (sql, about, effect) in [
        ("permission = 'maybe' WHERE agent_id = 'b'", "server \"s\", tool \"t\",", "it denies"),
        ("permission = 'maybe' WHERE tool_name = ''", "server \"s\" cannot", "it denies"),
        ("entry_type = 'x' WHERE agent_id = 'a' AND tool_name = 't'", "tool \"t\",", "it grants nothing"),
    ] {
        let (_folder, control) = changed_by_hand(&format!("UPDATE rules SET {sql}")).await;
        let text = control.unreadable()[0].to_string();
        assert!(text.contains(about) && text.contains(effect), "{sql}: {text}");
    }
}

#[tokio::test]
async fn an_explanation_reports_the_unreadable_part_of_a_rule() {
    use RuleStanding::{Decides, Overridden, Unreadable};
    let of_server = "permission = 'maybe' WHERE agent_id = 'a' AND tool_name = ''";
    let of_tool = "permission = 'maybe' WHERE agent_id = 'a' AND tool_name = 't'";
    for (sql, tool, named, standing) in [
        (of_tool, "t", Some("t"), Decides),
        (of_tool, "u", Some("t"), Unreadable),
        (of_server, "u", None, Decides),
        (of_server, "t", None, Overridden),
    ] {
        let (_folder, control) = changed_by_hand(&format!("UPDATE rules SET {sql}")).await;
        let explanation = control.explain("a", "s", Some(tool));
        let first = &explanation.rules[0];
        assert_eq!((first.tool_name.as_deref(), first.standing), (named, standing), "{sql}, tool {tool}");
        assert_eq!(explanation.judgement.allows(), standing != Decides, "{sql}, tool {tool}");
    }
    let (_folder, control) =
        changed_by_hand("UPDATE rules SET permission = 'maybe' WHERE agent_id = 'a'").await;
    let explanation = control.explain("a", "s", Some("u"));
    let standings: Vec<_> =
        explanation.rules.iter().map(|rule| (rule.tool_name.as_deref(), rule.standing)).collect();
    assert!(standings.contains(&(None, Decides)) && standings.contains(&(Some("t"), Unreadable)));
}

#[tokio::test]
async fn an_unreadable_row_is_removed_by_its_subject() {
    for sql in [
        "UPDATE rules SET permission = 'maybe' WHERE agent_id = 'b'",
        "UPDATE rules SET entry_type = 'x' WHERE agent_id = 'b'",
    ] {
        let (_folder, control) = changed_by_hand(sql).await;
        let removed = control.remove(AccessKey::from(&rule("b", Some("t"), Deny))).await.unwrap().unwrap();
        assert_eq!((removed.agent_id.as_str(), removed.permission), ("b", None));
        assert!(control.unreadable().is_empty() && may(&control, "b", "s", "t"), "{sql}");
        let (_folder, control) = changed_by_hand(sql).await;
        control.put(rule("b", Some("t"), Allow)).await.unwrap();
        assert!(control.unreadable().is_empty() && may(&control, "b", "s", "t"), "{sql}");
    }
}

/// A sink that stores one event and fails to store the next.
#[derive(Debug)]
struct RoomForOne(MemorySink);

impl AuditSink for RoomForOne {
    fn record(&self, event: AuditEvent) -> StoreFuture {
        if self.0.events().is_empty() {
            return self.0.record(event);
        }
        StoreFuture::ready(Err(AuditError::new("disk full")))
    }
}

#[tokio::test(start_paused = true)]
async fn a_stored_denial_holds_even_if_its_outcome_is_not_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqlAccessStore::open(folder.path().join("access.sqlite3")).unwrap();
    let control = AccessControl::open(Arc::new(store)).await.unwrap();
    control.set_server("s", DefaultPolicy::OptIn);
    control.put(rule("a", Some("t"), Allow)).await.unwrap();
    // The follower has read the file by then, and does not notice the writes of this process.
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    assert!(may(&control, "a", "s", "t"));
    let methods = AccessMethods::new(control.clone(), Arc::new(RoomForOne(MemorySink::new(10))));
    let deny =
        r#"{"entry_type":"tool_grant","agent_id":"a","server_id":"s","tool_name":"t","permission":"deny"}"#;
    let deny: AccessGrantParams = serde_json::from_str(deny).unwrap();
    let error = methods.grant(&Principal::operator("root"), deny).await.unwrap_err();
    assert!(error.message.contains("the change was made") && error.message.contains("disk full"), "{error}");
    assert_eq!(control.entries().await.unwrap()[0].permission, Some(Deny));
    assert!(!may(&control, "a", "s", "t"), "the store denies what the snapshot allows");
}
