//! A server over stdio whose names, descriptions and results try to become part of the console.

use serde_json::{Value, json};
use std::{
    io::{BufRead, Write},
    sync::LazyLock,
};

/// The texts, which the tests of pages have too. Each that ran would set `window.hacked`, or load something from another host.
pub(crate) static ATTACKS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let texts = include_str!("../../../mgp-console/src/testing/attacks.json");
    serde_json::from_str(texts).expect("a list of texts")
});
/// The number of texts that one tool has in its schema and its results.
pub(crate) const GROUP: usize = 8;

/// Serves until stdin ends.
///
/// # Errors
/// If stdin or stdout fails.
pub(crate) fn serve() -> Result<(), String> {
    let (stdin, mut stdout) = (std::io::stdin().lock(), std::io::stdout().lock());
    for line in stdin.lines() {
        let line = line.map_err(|error| error.to_string())?;
        let Ok(request) = serde_json::from_str::<Value>(&line) else { continue };
        let Some(id) = request.get("id") else { continue };
        let answer = json!({"jsonrpc": "2.0", "id": id, "result": answer(&request)});
        writeln!(stdout, "{answer}").and_then(|()| stdout.flush()).map_err(|error| error.to_string())?;
    }
    Ok(())
}

fn answer(request: &Value) -> Value {
    match request["method"].as_str().unwrap_or_default() {
        "initialize" => json!({
            "protocolVersion": "2025-06-18",
            "capabilities": {"tools": {}},
            "serverInfo": {"name": ATTACKS[0], "version": ATTACKS[1], "title": ATTACKS[2]},
            "instructions": ATTACKS.join("\n"),
        }),
        "tools/list" => json!({"tools": tools()}),
        "tools/call" => {
            let name = request["params"]["name"].as_str().unwrap_or_default();
            let number = name.strip_prefix("group_").and_then(|number| number.parse().ok()).unwrap_or(0);
            let group = ATTACKS.chunks(GROUP).nth(number).unwrap_or_default();
            for text in group {
                eprintln!("{text}");
            }
            result(group)
        }
        _ => json!({}),
    }
}

/// Returns a result that has each text in every place, and a long one.
fn result(group: &[String]) -> Value {
    let content = group.iter().flat_map(|text| {
        [
            json!({"type": "text", "text": text}),
            json!({"type": "resource_link", "uri": text, "name": text, "title": text, "description": text, "mimeType": text}),
            json!({"type": "resource", "resource": {"uri": text, "mimeType": text, "text": text}}),
            json!({"type": "image", "data": "AAAA", "mimeType": text}),
        ]
    });
    let mut content: Vec<_> = content.collect();
    content.push(json!({"type": "text", "text": "x".repeat(1_000_000)}));
    json!({"content": content, "structuredContent": {"texts": group, "rows": group.iter().map(|text| json!({"text": text})).collect::<Vec<_>>()}})
}

/// Returns a tool for each text, and one for each group of texts.
fn tools() -> Vec<Value> {
    let one = |(number, text): (usize, &String)| {
        json!({
            "name": format!("attack_{number}"),
            "title": text,
            "description": text,
            "inputSchema": {"type": "object"},
            "annotations": {"readOnlyHint": true, "title": text},
        })
    };
    let group = |(number, texts): (usize, &[String])| {
        let property = |(at, text): (usize, &String)| {
            let schema = json!({"type": "string", "title": text, "description": text, "default": text, "examples": [text], "enum": [text, "other"]});
            (format!("field_{at}"), schema)
        };
        json!({
            "name": format!("group_{number}"),
            "title": texts.join(" "),
            "description": texts.join("\n"),
            "inputSchema": {"type": "object", "properties": texts.iter().enumerate().map(property).collect::<serde_json::Map<_, _>>()},
            "annotations": {"readOnlyHint": true},
        })
    };
    ATTACKS.iter().enumerate().map(one).chain(ATTACKS.chunks(GROUP).enumerate().map(group)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_attack_is_in_a_tool_a_field_and_a_result() {
        let list = answer(&json!({"method": "tools/list"}));
        assert_eq!(list["tools"].as_array().unwrap().len(), ATTACKS.len() + ATTACKS.len().div_ceil(GROUP));
        let list = list.to_string();
        let called: Vec<_> = (0..ATTACKS.len().div_ceil(GROUP))
            .map(|group| {
                answer(&json!({"method": "tools/call", "params": {"name": format!("group_{group}")}}))
                    .to_string()
            })
            .collect();
        for attack in ATTACKS.iter() {
            let text = json!(attack).to_string();
            assert!(list.contains(&text), "{attack}");
            assert!(called.iter().any(|result| result.contains(&text)), "{attack}");
        }
    }
}
