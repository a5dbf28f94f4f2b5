//! Lists of servers that have another form than a JSON object of servers.

use super::Host;
use serde_json::{Map, Value, json};

/// Returns the content of a host's file with its servers in the usual form, under `mcpServers`.
pub(super) fn usual(host: Host, mut content: Value) -> Value {
    match host {
        // Extensions of other types are built into the host.
        Host::Goose => {
            let list = content["extensions"].take();
            let is_server =
                |entry: &Value| matches!(entry["type"].as_str(), Some("stdio" | "sse" | "streamable_http"));
            let list: Map<_, _> = match list {
                Value::Object(list) => list.into_iter().filter(|(_, entry)| is_server(entry)).collect(),
                _ => Map::new(),
            };
            json!({ "mcpServers": list })
        }
        Host::Continue => {
            let list = match content["mcpServers"].take() {
                Value::Array(list) => list,
                _ => Vec::new(),
            };
            let named = |entry: Value| Some((entry["name"].as_str()?.to_owned(), entry));
            json!({ "mcpServers": list.into_iter().filter_map(named).collect::<Map<_, _>>() })
        }
        _ => content,
    }
}
