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
