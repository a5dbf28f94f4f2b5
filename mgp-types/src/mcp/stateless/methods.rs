//! The rules of the stateless revisions about methods.

/// Returns whether a method of the revisions with `initialize` is removed in the stateless ones.
#[must_use]
pub fn is_removed(method: &str) -> bool {
    matches!(
        method,
        "initialize"
            | "notifications/initialized"
            | "ping"
            | "logging/setLevel"
            | "resources/subscribe"
            | "resources/unsubscribe"
            | "notifications/roots/list_changed"
            | "tasks/list"
            | "tasks/result"
    )
}

/// Returns whether a request may be answered with a round of input.
#[must_use]
pub fn asks_for_input(method: &str) -> bool {
    matches!(method, "tools/call" | "prompts/get" | "resources/read")
}

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
