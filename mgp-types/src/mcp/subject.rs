//! The subject of a request.

/// Returns the member of a request's params that names its subject; over HTTP the header `Mcp-Name` repeats it.
#[must_use]
pub fn subject_key(method: &str) -> Option<&'static str> {
    match method {
        "tools/call" | "prompts/get" => Some("name"),
        "resources/read" => Some("uri"),
        "tasks/get" | "tasks/update" | "tasks/cancel" => Some("taskId"),
        _ => None,
    }
}
