//! The page against the answer of its command.

use crate::{operator::OperatorRole, testing::TestConsole};
use http::StatusCode;

const STATUS: &str = r#"{"kernels": [{"pid": 7, "version": "1.0.0", "started_at": "2026-01-01T00:00:00Z", "uptime_secs": 90061,
    "parked_calls": 2, "needs_restart": ["permissions.wait_ms"], "hosts": [
        {"name": "cursor", "version": "1", "principal": "ann", "protocol_version": "2025-06-18", "mgp": false, "in_flight": 1},
        {"name": "cursor", "version": "1", "principal": "ann", "protocol_version": "2025-06-18", "mgp": false, "in_flight": 2}],
    "waiting": [{"server_id": "notes", "tools": 2, "permissions": [{"permission": "memory.write", "request_id": "perm-1", "state": "deferred"}]}],
    "notices": [{"server_id": "s", "text": "a <b> notice"}],
    "servers": [{"id": "notes", "state": "error", "reason": "it <i> ended", "restarts": 3, "in_flight": 0, "queued": 0,
        "trust_level": "standard", "tool_count": 2, "checks": {"disk": {"free": 1.5}}}],
    "traffic": {"minutes": 5, "calls": 61, "errors": 2, "refused": 3, "p50_ms": 4, "p95_ms": 210, "tokens_spared": 184000,
        "servers": [{"server_id": "notes", "calls": 5, "errors": 1, "p50_ms": 7, "p95_ms": 9}]}}],
    "questions": {"permissions": 0, "calls": 2, "servers": 1, "definitions": 0}}"#;

#[tokio::test]
async fn the_page_has_what_the_status_has() {
    let console = TestConsole::new(OperatorRole::Viewer, &[("status", STATUS)]);
    let (status, page) = console.get("/now").await;
    assert_eq!(status, StatusCode::OK);
    for part in [
        "3 questions wait",
        "2 calls, one new server",
        "210 ms",
        "184000",
        "9 ms",
        "1 d 1 h",
        "In the last 5 minutes:",
        // Numbers, and what waits, lead to where they come from.
        "/trail?result=FAILURE&amp;since=5m\" aria-label=\"Errors: 2, Trail\"",
        "/trail?result=BLOCKED&amp;since=5m",
        "/trail?server=notes&amp;result=FAILURE&amp;since=5m",
        "2 tools wait for permissions:",
        "permissions.wait_ms</bdi>. ",
        "a &lt;b&gt;",
        "it &lt;i&gt;",
    ] {
        assert!(page.contains(part), "{part}");
    }
    assert!(!page.contains("<b>") && !page.contains("<i>"));
    assert!(!page.contains("mgp approve"), "the page of approvals decides");
    // Sessions of the same program are one row.
    assert_eq!(page.matches(">cursor<").count(), 1);
    assert!(page.contains(r#"<td class="number">2</td><td class="number">3</td>"#), "{page}");
    assert_eq!(console.ran(), ["status --notices --no-checks"]);
}

#[tokio::test]
async fn the_list_of_calls_is_not_read_out_by_itself() {
    let console = TestConsole::new(OperatorRole::Viewer, &[("status", STATUS)]);
    let (_, page) = console.get("/now").await;
    let (_, list) = page.split_once("id=\"calls\"").expect("the list");
    let tag = list.split('>').next().unwrap_or_default();
    assert!(!tag.contains("aria-live") && !tag.contains("role=\"log\""), "{tag}");
    assert!(page.contains("id=\"pause\"") && page.contains("id=\"digest\""));
}

#[tokio::test]
async fn an_idle_gateway_says_what_to_do_next() {
    let idle = r#"{"kernels": [{"pid": 7, "version": "1", "started_at": "2026-01-01T00:00:00Z", "uptime_secs": 1, "parked_calls": 0,
        "servers": [], "hosts": []}]}"#;
    let console = TestConsole::new(OperatorRole::Viewer, &[("status", idle)]);
    let (_, page) = console.get("/now").await;
    assert!(page.contains("<code>mgp add NAME</code>") && page.contains("/agents?view=connect"));
}
