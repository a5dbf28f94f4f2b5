//! Tool definitions as servers write them: what of them counts, and what a host is shown.

use crate::{
    raw_host::{As, ERAS, RawHost},
    raw_server::{RawServer, result, text},
    support::{Setup, full, start},
};
use mgp_kernel::{Era, TrustLevel};
use serde_json::{Value, json};

/// A server with these tools that says what it was called with.
fn server(mgp: bool, tools: Value) -> RawServer {
    let mut capabilities = json!({"tools": {}});
    if mgp {
        capabilities["mgp"] = json!({"version": "0.3.0", "extensions": ["tool_security"]});
    }
    RawServer::new(Era::Initialize, capabilities, move |message| match message["method"].as_str() {
        Some("tools/list") => Some(vec![result(message, json!({"tools": tools}))]),
        Some("tools/call") => Some(vec![text(message, "ran")]),
        _ => None,
    })
}

async fn setup(server: &RawServer, trust: TrustLevel) -> Setup {
    start(|kernel, _| {
        let mut spec = server.spec("srv");
        spec.trust = trust;
        kernel.server(spec).config(full)
    })
    .await
}

/// The definitions that a host is shown.
async fn shown(host: &mut RawHost) -> Vec<Value> {
    host.get("tools/list", json!({})).await["tools"].as_array().unwrap().clone()
}

fn command(security: Value) -> Value {
    let properties = json!({"command": {"type": "string"}});
    let mut tool =
        json!({"name": "execute_command", "inputSchema": {"type": "object", "properties": properties}});
    if !security.is_null() {
        tool["security"] = security;
    }
    tool
}

const RECURSIVE_DELETE: &str = "rm -rf /";

#[tokio::test]
async fn only_a_trusted_server_can_disable_the_guessed_validator() {
    for (mgp, trust, security, runs) in [
        (false, TrustLevel::Standard, Value::Null, false),
        (false, TrustLevel::Standard, json!({"risk_level": "safe"}), false),
        (false, TrustLevel::Trusted, json!({"risk_level": "safe", "validator": "none"}), false),
        (true, TrustLevel::Standard, json!({"risk_level": "safe", "validator": "none"}), false),
        (true, TrustLevel::Trusted, json!({"risk_level": "safe", "validator": "none"}), true),
    ] {
        let server = server(mgp, json!([command(security.clone())]));
        let setup = setup(&server, trust).await;
        let mut host = setup.raw_host(As::plain(Era::Initialize)).await;
        let call = json!({"name": "execute_command", "arguments": {"command": RECURSIVE_DELETE}});
        let answer = host.get("tools/call", call).await;
        assert_eq!(answer["isError"] != true, runs, "MGP: {mgp}, {trust}, {security}: {answer}");
        assert_eq!(server.read_of("tools/call").len(), usize::from(runs), "MGP: {mgp}, {trust}, {security}");
    }
}

#[tokio::test]
async fn a_plain_server_s_security_member_is_ignored() {
    let members = [json!([{"oauth2": []}]), json!({"risk_level": "destructive"}), json!("none"), json!(7)];
    let tools: Vec<Value> = members
        .iter()
        .enumerate()
        .map(|(number, security)| {
            json!({"name": format!("t{number}"), "inputSchema": {"type": "object"}, "security": security})
        })
        .collect();
    let server = server(false, json!(tools));
    let setup = setup(&server, TrustLevel::Standard).await;
    for era in ERAS {
        let mut plain = setup.raw_host(As::plain(era)).await;
        assert_eq!(shown(&mut plain).await, tools, "{era:?}");
        // A host that speaks MGP reads the kernel's judgement there.
        let mut speaking = setup.raw_host(As::mgp(era)).await;
        let judged = shown(&mut speaking).await;
        assert_eq!(judged.len(), tools.len(), "{era:?}");
        for tool in judged {
            let expected = json!({"risk_level": "moderate", "effective_risk_level": "moderate"});
            assert_eq!(tool["security"], expected, "{era:?}: {tool}");
        }
    }
}

#[tokio::test]
async fn a_tool_with_unreadable_security_is_dangerous_and_sandboxed() {
    let members = [
        json!({"risk_level": "destructive", "permissions_required": [], "validator": "readonly"}),
        json!([{"oauth2": []}]),
        json!({"validator": "none"}),
    ];
    for security in members {
        let server = server(true, json!([command(security.clone())]));
        let setup = setup(&server, TrustLevel::Trusted).await;
        let mut plain = setup.raw_host(As::plain(Era::Initialize)).await;
        let listed = shown(&mut plain).await;
        assert_eq!(listed, [command(Value::Null)], "{security}");
        let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
        let listed = shown(&mut host).await;
        assert_eq!(listed[0]["security"]["effective_risk_level"], "dangerous", "{security}");
        assert_eq!(listed[0]["security"]["risk_level"], "dangerous", "{security}");
        let call = json!({"name": "execute_command", "arguments": {"command": RECURSIVE_DELETE}});
        let answer = host.get("tools/call", call).await;
        assert_eq!(answer["isError"], true, "{security}: {answer}");
        assert!(host.asked.len() == 1, "a dangerous call is confirmed: {:?}", host.asked);
        assert!(server.read_of("tools/call").is_empty(), "{security}");
    }
}

#[tokio::test]
async fn the_declared_code_safety_of_a_tool_is_kept() {
    let properties = json!({"code": {"type": "string"}});
    let tool = |declared: Value| {
        json!({"name": "run_python", "inputSchema": {"type": "object", "properties": properties},
            "security": {"risk_level": "moderate", "validator": "code_safety", "code_safety": declared}})
    };
    let blocked = json!({"level": "standard", "language": "python", "blocked_imports": ["decimal"]});
    let strict = json!({"level": "strict", "language": "python", "allowed_imports": ["json"]});
    let small = json!({"level": "standard", "language": "python", "max_code_size_bytes": 10});
    let patterns = json!({"level": "standard", "language": "python", "blocked_patterns": ["Decimal("]});
    for (declared, runs) in [
        (json!({"level": "standard", "language": "python"}), true),
        (blocked, false),
        (strict, false),
        (small, false),
        (patterns, false),
    ] {
        let server = server(true, json!([tool(declared.clone())]));
        let setup = setup(&server, TrustLevel::Trusted).await;
        let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
        let code = "import decimal\nprint(decimal.Decimal('1'))";
        let answer = host.call("run_python", json!({"code": code})).await;
        assert_eq!(answer["isError"] != true, runs, "{declared}: {answer}");
        assert_eq!(server.read_of("tools/call").len(), usize::from(runs), "{declared}");
        let rejected = answer["content"][0]["text"].as_str().unwrap();
        assert!(runs || (rejected.contains("1011") && rejected.contains("hints")), "{rejected}");
    }
}

#[tokio::test]
async fn malformed_members_are_dropped_and_a_tool_without_schema_too() {
    let odd = json!([
        {"name": "a", "inputSchema": {"type": "object"}, "annotations": "none"},
        {"name": "b", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": "yes", "title": "B"}},
        {"name": "c", "inputSchema": {"type": "object"}, "icons": {"src": "data:,"}},
        {"name": "d", "inputSchema": {"type": "object"}, "_meta": []},
        {"name": "e", "inputSchema": [], "outputSchema": "any"},
        {"name": "f", "title": 7, "description": {"en": "F"}},
        {"name": "g", "inputSchema": {"type": "object"}, "execution": 1, "categories": 5, "keywords": "x"},
    ]);
    let server = server(false, odd);
    let setup = setup(&server, TrustLevel::Standard).await;
    let object = json!({"type": "object"});
    let expected = json!([
        {"name": "a", "inputSchema": object},
        {"name": "b", "inputSchema": object, "annotations": {"title": "B"}},
        {"name": "c", "inputSchema": object},
        {"name": "d", "inputSchema": object},
        {"name": "f", "inputSchema": object},
        {"name": "g", "inputSchema": object, "categories": 5, "keywords": "x"},
    ]);
    for era in ERAS {
        let mut host = setup.raw_host(As::plain(era)).await;
        assert_eq!(json!(shown(&mut host).await), expected, "{era:?}");
    }
}

#[tokio::test]
async fn a_search_for_safe_tools_finds_those_that_only_read() {
    let tool = |name: &str, hints: Value| {
        json!({"name": name, "description": "Reads the calendar of a day", "annotations": hints,
            "inputSchema": {"type": "object"}})
    };
    let reads = tool("read_calendar", json!({"readOnlyHint": true}));
    let server = server(false, json!([reads, tool("open_calendar", json!({}))]));
    let setup = setup(&server, TrustLevel::Standard).await;
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    for (filter, expected) in [
        (json!({"risk_level_max": "safe"}), &["read_calendar"][..]),
        (json!({"risk_level_max": "moderate"}), &["open_calendar", "read_calendar"][..]),
    ] {
        let params = json!({"query": "read the calendar of a day", "filter": filter});
        let found = host.get("mgp/tools/discover", params).await;
        let tools = found["tools"].as_array().unwrap().iter();
        let mut names: Vec<_> = tools.map(|tool| tool["name"].as_str().unwrap()).collect();
        names.sort_unstable();
        assert_eq!(names, expected, "{filter}: {found}");
    }
}
