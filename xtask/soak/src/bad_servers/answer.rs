//! The answers that bad servers on stdio and over HTTP share: those of a plain MCP server, except for the intended oddities.

use super::kind::{BadServer, Kind};
use serde_json::{Value, json};

/// The length of a large answer, in bytes.
const LARGE: usize = 1024 * 1024;

/// Returns the answer to a request; `None` for a notification or an answer.
pub(super) fn answer(bad: &BadServer, request: &Value) -> Option<Value> {
    let (id, method) = (request.get("id")?, request["method"].as_str()?);
    let params = &request["params"];
    let result = match method {
        "initialize" => json!({
            "protocolVersion": params["protocolVersion"],
            "capabilities": {"tools": {"listChanged": true}},
            "serverInfo": {"name": bad.id, "version": "1"},
        }),
        "ping" => json!({}),
        "tools/list" => list(bad, params),
        "tools/call" => {
            let length = if bad.kind == Kind::LargeAnswers { LARGE } else { 4 };
            json!({"content": [{"type": "text", "text": "a".repeat(length)}]})
        }
        _ => {
            let error = json!({"code": -32601, "message": "Method not found"});
            return Some(json!({"jsonrpc": "2.0", "id": id, "error": error}));
        }
    };
    Some(json!({"jsonrpc": "2.0", "id": id, "result": result}))
}

fn list(bad: &BadServer, params: &Value) -> Value {
    let tool = json!({
        "name": bad.tool(),
        "description": "Says something",
        "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}},
        "annotations": {"readOnlyHint": true},
    });
    match bad.kind {
        Kind::EndlessList => {
            let page = params["cursor"].as_str().and_then(|cursor| cursor.parse::<u64>().ok());
            json!({"tools": [tool], "nextCursor": (page.unwrap_or_default() + 1).to_string()})
        }
        Kind::OddTools => {
            let mut tools = odd_tools();
            tools.push(tool);
            json!({"tools": tools})
        }
        _ => json!({"tools": [tool]}),
    }
}

/// Returns definitions that break the list of a host if they reach it unchanged.
fn odd_tools() -> Vec<Value> {
    vec![
        json!({"name": "odd-schema-empty", "inputSchema": {}}),
        json!({"name": "odd-schema-absent"}),
        json!({"name": "odd-schema-text", "inputSchema": "object"}),
        json!({"name": "odd-root", "inputSchema": {"anyOf": [{"type": "object"}, {"type": "null"}]}}),
        json!({"name": "odd-type", "inputSchema": {"type": ["object", "null"]}}),
        json!({"name": "odd-nulls", "description": null, "annotations": null, "_meta": null,
            "inputSchema": {"type": "object", "properties": null, "required": null}}),
        json!({"name": "odd-hint", "annotations": {"readOnlyHint": "yes"}, "inputSchema": {"type": "object"}}),
        json!({"name": "odd-reference", "inputSchema": {"type": "object"},
            "outputSchema": {"type": "object", "properties": {"a": {"$ref": "#/$defs/nowhere"}}}}),
        json!(7),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bad_servers::ALL;

    #[test]
    fn a_bad_server_answers_well_except_for_its_oddity() {
        let bad = |kind: Kind| ALL.iter().find(|bad| bad.kind == kind).unwrap();
        let list = |kind, params: Value| {
            let request = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": params});
            answer(bad(kind), &request).unwrap()["result"].clone()
        };
        let plain = list(Kind::SlowCalls, json!({}));
        assert_eq!(plain["tools"][0]["name"], "answer-slow-calls");
        assert!(plain["nextCursor"].is_null());
        assert_eq!(list(Kind::EndlessList, json!({"cursor": "41"}))["nextCursor"], "42");
        assert_eq!(list(Kind::OddTools, json!({}))["tools"].as_array().unwrap().len(), odd_tools().len() + 1);
        assert_eq!(answer(bad(Kind::Silent), &json!({"method": "notifications/initialized"})), None);
        let unknown = answer(bad(Kind::Silent), &json!({"id": "a", "method": "server/discover"})).unwrap();
        assert_eq!((&unknown["id"], &unknown["error"]["code"]), (&json!("a"), &json!(-32601)));
    }
}
