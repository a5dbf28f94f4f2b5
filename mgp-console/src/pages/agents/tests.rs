//! The page against answers of commands.

use crate::{operator::OperatorRole, testing::TestConsole};
use http::StatusCode;

const STATUS: &str = r#"{"kernels": [{"pid": 7, "version": "1.0.0", "started_at": "2026-01-01T00:00:00Z", "uptime_secs": 5, "parked_calls": 0,
    "servers": [{"id": "notes", "state": "connected", "reason": "", "restarts": 0, "in_flight": 0, "queued": 0,
        "trust_level": "standard", "tool_count": 2}],
    "hosts": [{"name": "<b>host", "version": "1", "principal": "ann", "protocol_version": "2025-06-18", "mgp": true, "in_flight": 0}]}],
    "replicas": [{"address": "10.0.0.2:7", "reported_secs_ago": 3, "pid": 8, "version": "1.0.0", "started_at": "2026-01-01T00:00:00Z",
    "uptime_secs": 5, "parked_calls": 0, "servers": [], "hosts": []}]}"#;
const RULES: &str = r#"{"entries": [{"entry_type": "tool_grant", "agent_id": "ann", "server_id": "notes", "tool_name": "<i>read",
    "permission": "deny", "granted_by": "root", "justification": "a <u> test"}],
    "by_roles": [{"agent_id": "bob", "role": "dev", "server_id": "*", "tool_name": null, "permission": "allow"}]}"#;
const KEYS: &str = r#"{"keys": [{"name": "lap<top", "agent": "cat", "admin": false, "scopes": ["notes"], "created_at": "2026-01-01T00:00:00Z"},
    {"name": "ci", "agent": "ann", "admin": true, "configured": true}]}"#;

fn console(role: OperatorRole) -> TestConsole {
    let answers = [("status", STATUS), ("access list", RULES), ("keys list", KEYS), ("audit", "{}")];
    TestConsole::new(role, &answers)
}

fn assert_plain(page: &str) {
    for foreign in ["<b>host", "<i>read", "<u> test", "lap<top"] {
        assert!(!page.contains(foreign), "{foreign}");
    }
}

#[tokio::test]
async fn the_overview_has_agents_hosts_and_replicas() {
    let console = console(OperatorRole::Viewer);
    let (status, page) = console.get("/agents").await;
    assert_eq!(status, StatusCode::OK);
    for part in ["/agents?agent=ann", "/agents?agent=bob", "/agents?agent=cat", "&lt;b&gt;host", "10.0.0.2:7"]
    {
        assert!(page.contains(part), "{part}");
    }
    assert_plain(&page);
    assert_eq!(console.ran(), ["access list", "audit --last=500", "keys list", "status --no-checks"]);
}

#[tokio::test]
async fn agents_are_shown_without_a_gateway_too() {
    let console = TestConsole::new(OperatorRole::Viewer, &[("access list", RULES), ("keys list", KEYS)]);
    let (status, page) = console.get("/agents").await;
    assert_eq!(status, StatusCode::OK);
    assert!(page.contains("/agents?agent=ann") && page.contains("try another"));
}

#[tokio::test]
async fn an_agent_has_its_own_rules_and_keys() {
    let console = console(OperatorRole::Admin);
    let (_, page) = console.get("/agents?agent=ann").await;
    assert!(page.contains("&lt;i&gt;read") && page.contains("/do/revoke") && page.contains("/do/grant"));
    assert!(!page.contains("lap&lt;top"), "the key of another agent");
    assert_plain(&page);
    assert_eq!(console.ran(), ["access list --agent=ann", "keys list", "status --no-checks"]);
}

#[tokio::test]
async fn a_replaced_key_is_revoked_with_its_successor() {
    let key = |made: &str| {
        format!(r#"{{"name": "laptop", "agent": "ann", "created_at": "2026-01-0{made}T00:00:00Z"}}"#)
    };
    let keys = format!(r#"{{"keys": [{}, {}]}}"#, key("1"), key("2"));
    let console = TestConsole::new(OperatorRole::Admin, &[("keys list", &keys)]);
    let (_, page) = console.get("/agents?view=keys").await;
    assert_eq!(page.matches("/do/revoke-key").count(), 1, "{page}");
    assert_eq!(page.matches("replaced by the newer one").count(), 1, "{page}");
}

#[tokio::test]
async fn a_table_of_agents_and_tools_leads_to_explanations() {
    let matrix = r#"{"server_id": "notes", "agents": ["ann", "<b>"], "agents_total": 45, "tools": ["read", "a&b"], "tools_total": 2,
        "cells": [[{"permission": "allow", "source": "tool_grant"}, {"permission": "deny", "source": "default_policy"}],
                  [{"permission": "allow", "source": "server_grant", "role": "dev"}]]}"#;
    let answers = [("status", STATUS), ("access matrix", matrix)];
    let console = TestConsole::new(OperatorRole::Viewer, &answers);
    let (_, page) = console.get("/agents?view=matrix&agents=20").await;
    assert!(page.contains("/agents?view=explain&amp;agent=ann&amp;server=notes&amp;tool=a%26b"), "{page}");
    assert!(page.contains("agents=22") && !page.contains("<b>"), "{page}");
    assert_eq!(
        console.ran(),
        ["access matrix --server=notes --agents-from=20 --tools-from=0", "status --no-checks"]
    );
}

#[tokio::test]
async fn an_explanation_has_the_words_of_the_form() {
    let explained = r#"{"agent_id": "ann", "server_id": "notes", "tool_name": "read", "permission": "deny", "source": "default_policy",
        "reason": "no <b> rule", "rules": [{"server_id": "x", "permission": "allow", "standing": "other_server"}]}"#;
    let console =
        TestConsole::new(OperatorRole::Viewer, &[("status", STATUS), ("access explain", explained)]);
    let (_, page) =
        console.get("/agents?view=explain&agent=--json&server=notes&tool=read&arguments=%7B%7D").await;
    assert!(
        page.contains("may not use") && page.contains("is about other servers") && !page.contains("no <b>"),
        "{page}"
    );
    let expected = [
        "access explain --arguments={} -- --json notes read",
        "access list",
        "keys list",
        "status --no-checks",
    ];
    assert_eq!(console.ran(), expected);
    let at = |text: &str| page.find(text).unwrap_or_else(|| panic!("{text} is not in {page}"));
    assert!(at("id=\"judgement\"") < at("id=\"explain-agent\""), "the answer comes first");
    let rule = "/agents?view=rules&amp;agent=ann&amp;server=notes&amp;tool=read&amp;rule=";
    assert!(
        page.contains(&format!("{rule}allow#new-rule")) && page.contains(&format!("{rule}deny#new-rule"))
    );
}

#[tokio::test]
async fn the_text_of_a_new_key_is_in_the_answer_only() {
    let made =
        r#"{"name": "x<y", "key": "mgp_secret", "agent": "ann", "expires_at": "2026-02-01T00:00:00Z"}"#;
    let console = TestConsole::new(
        OperatorRole::Admin,
        &[("keys add", made), ("keys rotate", made), ("keys list", KEYS)],
    );
    for (action, form, words) in [
        (
            "add-key",
            "name=x&agent=ann&scope=notes+read:*",
            "keys add --agent=ann --scope=notes --scope=read:* -- x",
        ),
        ("rotate-key", "name=x&grace=2h", "keys rotate --grace=2h -- x"),
    ] {
        let (status, answer) = console.post(&format!("/do/{action}"), form).await;
        assert_eq!(status, StatusCode::OK, "{action}");
        assert!(answer.contains("mgp_secret") && answer.contains("x&lt;y"), "{answer}");
        assert_eq!(console.ran(), [words]);
    }
    let (_, answer) = console.post("/do/add-key", "name=x").await;
    for part in [
        "Authorization: Bearer mgp_secret",
        "data-copy",
        "/agents?view=rules&amp;agent=ann&amp;rule=allow#new-rule",
        "tabindex=\"-1\"",
    ] {
        assert!(answer.contains(part), "{part}: {answer}");
    }
    let (_, page) = console.get("/agents?view=keys").await;
    assert!(page.contains("lap&lt;top") && !page.contains("mgp_secret"));
    let below = page.split("id=\"new-key\"").nth(1).unwrap();
    assert!(below.contains("<div id=\"made-key\" data-focus=\"\"></div>"), "the new key is below its form");
}

#[tokio::test]
async fn limits_have_their_use() {
    let limits = r#"{"limits": [{"of": "agents", "name": "<b>*", "requests_per_minute": 120, "units_per_day": 500,
        "uses": [{"caller": "ann", "units_today": 400, "resets_at": "2026-01-02T00:00:00Z"}]}], "costs": [{"tool": "t", "units": 5}]}"#;
    let console = TestConsole::new(OperatorRole::Viewer, &[("limits", limits)]);
    let (_, page) = console.get("/agents?view=limits").await;
    assert!(page.contains("max=\"500\" value=\"400\"") && !page.contains("<b>*"), "{page}");
}

#[tokio::test]
async fn the_use_of_a_limit_names_its_tool_and_the_callers_left_out() {
    let limits = r#"{"limits": [{"of": "tools", "name": "notes__*", "units_per_day": 5, "more": 7, "uses":
        [{"server_id": "notes", "tool_name": "<b>add", "units_today": 2}, {"caller": "ann", "server_id": "web", "units_today": 1}]},
        {"of": "servers", "name": "web", "requests_per_minute": 3}]}"#;
    let console = TestConsole::new(OperatorRole::Viewer, &[("limits", limits)]);
    let (_, page) = console.get("/agents?view=limits").await;
    for expected in ["notes__&lt;b&gt;add", "ann", "and 7 more"] {
        assert!(page.contains(expected), "{expected}: {page}");
    }
    assert!(!page.contains(">nothing<"), "calls a minute have no use to show: {page}");
}

#[tokio::test]
async fn programs_are_connected_after_their_difference_is_seen() {
    let dry = r#"{"file": "/m.toml", "servers": ["git"], "remarks": ["<b>"], "hosts": [
        {"host": "cursor", "file": "/c.json", "state": "planned", "difference": ["- <i>"]},
        {"host": "codex", "file": "/d.toml", "state": "already_connected"}]}"#;
    let back =
        r#"{"hosts": [{"host": "codex", "file": "/d.toml", "state": "planned", "difference": ["+ old"]}]}"#;
    let answers = [("connect --dry-run", dry), ("disconnect --dry-run", back), ("connect --yes", "{}")];
    let console = TestConsole::new(OperatorRole::Admin, &answers);
    let (_, page) = console.get("/agents?view=connect").await;
    assert!(page.contains("- &lt;i&gt;") && !page.contains("<b>"), "{page}");
    assert!(page.contains("/agents?view=connect&amp;disconnect=codex"), "{page}");
    let (_, page) = console.get("/agents?view=connect&disconnect=codex").await;
    assert!(page.contains("+ old") && page.contains("/do/disconnect-host"), "{page}");
    console.post("/do/connect-host", "host=cursor").await;
    assert_eq!(
        console.ran(),
        ["connect --dry-run", "connect --yes --no-wait -- cursor", "disconnect --dry-run -- codex"]
    );
}

#[tokio::test]
async fn only_an_admin_changes_agents() {
    for role in [OperatorRole::Viewer, OperatorRole::Approver] {
        let console = console(role);
        for action in
            ["grant", "revoke", "add-key", "rotate-key", "revoke-key", "connect-host", "disconnect-host"]
        {
            let form = "agent=a&server=s&rule=allow&name=n&host=cursor";
            assert_eq!(
                console.post(&format!("/do/{action}"), form).await.0,
                StatusCode::FORBIDDEN,
                "{action}"
            );
        }
        assert!(console.ran().is_empty());
    }
}

#[tokio::test]
async fn the_form_of_a_rule_offers_names_and_has_no_default() {
    let status = STATUS.replace("\"tool_count\": 2", "\"tool_count\": 2, \"tools\": [\"read\", \"<b>\"]");
    let answers = [("status", status.as_str()), ("access list", RULES), ("keys list", KEYS)];
    let console = TestConsole::new(OperatorRole::Admin, &answers);
    let (_, page) = console.get("/agents?view=rules").await;
    for (list, name) in [("known-agents", "cat"), ("known-servers", "notes")] {
        let list = page.split(&format!("<datalist id=\"{list}\">")).nth(1).unwrap();
        let list = list.split("</datalist>").next().unwrap();
        assert!(list.contains(&format!("<option value=\"{name}\">")), "{list}");
    }
    assert_eq!(page.matches("type=\"radio\"").count(), 2);
    assert!(
        !page.contains(" checked") && page.contains("<datalist id=\"known-tools\"></datalist>"),
        "{page}"
    );
    let (_, page) = console.get("/agents?view=rules&agent=ann&server=notes&tool=read&rule=deny").await;
    for part in [
        "value=\"ann\"",
        "value=\"notes\"",
        "value=\"deny\" required checked",
        "<option value=\"&lt;b&gt;\">",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
}

#[tokio::test]
async fn a_rule_with_an_unknown_name_is_asked_about() {
    let status = STATUS.replace("\"tool_count\": 2", "\"tool_count\": 2, \"tools\": [\"read\"]");
    let made = r#"{"status": "granted", "entry_type": "tool_grant", "agent_id": "ann", "server_id": "notes", "tool_name": "read",
        "permission": "deny", "expires_at": "2026-02-01T00:00:00Z"}"#;
    let answers =
        [("status", status.as_str()), ("access list", RULES), ("keys list", KEYS), ("access grant", made)];
    let console = TestConsole::new(OperatorRole::Admin, &answers);
    for (form, expected) in [
        ("agent=an%3Cn&server=notes&tool=read", "an&lt;n"),
        ("agent=ann&server=note", "has no server of this name"),
        ("agent=ann&server=notes&tool=raed", "has no tool of this name"),
    ] {
        let (status, question) = console.press("/do/grant", &format!("{form}&rule=deny")).await;
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{form}");
        assert!(question.contains(expected) && question.contains("name=\"anyway\""), "{question}");
    }
    assert!(!console.ran().iter().any(|line| line.starts_with("access grant")));
    let (_, done) = console.press("/do/grant", "agent=ann&server=notes&tool=read&rule=deny&for=8h").await;
    assert!(
        done.contains("may not use") && done.contains("until") && done.contains("Take it back"),
        "{done}"
    );
    assert!(done.contains("<details><summary>As a command</summary><code>mgp access grant --deny"), "{done}");
    for known in ["agent=x&server=no&rule=allow&anyway=1", "agent=ann&server=n*&tool=x&rule=allow"] {
        console.ran();
        console.press("/do/grant", known).await;
        assert!(console.ran().iter().any(|line| line.starts_with("access grant")), "{known}");
    }
}

#[tokio::test]
async fn a_long_list_is_cut_into_parts() {
    let entry = |n: usize| format!(r#"{{"agent_id": "agent-{n}", "server_id": "s", "permission": "allow"}}"#);
    let entries: Vec<_> = (0..10_000).map(entry).collect();
    let rules = format!(r#"{{"entries": [{}]}}"#, entries.join(","));
    let console = TestConsole::new(OperatorRole::Viewer, &[("access list", &rules)]);
    let (_, page) = console.get("/agents?view=rules&from=50").await;
    assert!(page.contains("agent-50<") && page.contains("agent-99<") && !page.contains("agent-100<"));
    assert!(page.contains("51 to 100 of 10000") && page.contains("from=100"));
}
