//! A server over stdio with many tools that do nothing.

use serde_json::{Value, json};
use std::io::{BufRead, Write};

/// The tools of each server.
pub(super) const TOOLS: usize = 100;

const VERBS: [&str; 10] =
    ["list", "find", "read", "count", "check", "compare", "fetch", "open", "search", "show"];
const NOUNS: [&str; 10] =
    ["issue", "ticket", "page", "branch", "invoice", "report", "message", "channel", "image", "build"];

/// Serves until stdin ends.
pub(crate) fn serve_tools(number: usize) -> Result<(), String> {
    let (stdin, mut stdout) = (std::io::stdin().lock(), std::io::stdout().lock());
    for line in stdin.lines() {
        let line = line.map_err(|error| error.to_string())?;
        let Ok(request) = serde_json::from_str::<Value>(&line) else { continue };
        let Some(id) = request.get("id") else { continue };
        let answer = json!({"jsonrpc": "2.0", "id": id, "result": answer(&request, number)});
        writeln!(stdout, "{answer}").and_then(|()| stdout.flush()).map_err(|error| error.to_string())?;
    }
    Ok(())
}

fn answer(request: &Value, number: usize) -> Value {
    match request["method"].as_str().unwrap_or_default() {
        "initialize" => json!({
            "protocolVersion": "2025-06-18",
            "capabilities": {"tools": {}},
            "serverInfo": {"name": server_id(number), "version": "1.0.0"},
        }),
        "tools/list" => json!({"tools": (0..TOOLS).map(|at| tool(number, at)).collect::<Vec<_>>()}),
        "tools/call" => json!({"content": [{"type": "text", "text": "done"}]}),
        _ => json!({}),
    }
}

fn tool(number: usize, at: usize) -> Value {
    let (verb, noun) = (VERBS[at % 10], NOUNS[at / 10 % 10]);
    json!({
        "name": tool_name(at),
        "description": format!("Use this to {verb} one {noun} of project {number}. Returns the {noun} with its fields."),
        "inputSchema": {
            "type": "object",
            "properties": {
                "id": {"type": "string", "description": format!("The id of the {noun}.")},
                "limit": {"type": "integer", "description": "The most results."},
            },
            "required": ["id"],
        },
        "annotations": {"readOnlyHint": true},
    })
}

pub(super) fn server_id(number: usize) -> String {
    format!("project-{number}")
}

pub(super) fn tool_name(at: usize) -> String {
    format!("{}_{}", VERBS[at % 10], NOUNS[at / 10 % 10])
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn a_server_lists_its_tools_with_unique_names() {
        let list = answer(&json!({"method": "tools/list"}), 7);
        let tools = list["tools"].as_array().unwrap();
        let names: HashSet<_> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
        assert_eq!((names.len(), names.contains(&*tool_name(42))), (TOOLS, true));
    }
}
