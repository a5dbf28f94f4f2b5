//! Names and values of headers that both ends write.

use http::HeaderName;

/// Names a session. Whoever knows it can speak on the session, so it is never logged.
pub(crate) const SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");
/// Names the MCP revision that was agreed on.
pub(crate) const PROTOCOL_VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");

/// Repeats the method of a request of a stateless revision.
pub(crate) const METHOD: HeaderName = HeaderName::from_static("mcp-method");
/// Repeats what such a request is about: the name of a tool or prompt, or the URI of a resource.
pub(crate) const NAME: HeaderName = HeaderName::from_static("mcp-name");
/// Names the event after which a stream goes on.
pub(crate) const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// A single message.
pub(crate) const JSON: &str = "application/json";
/// A stream of messages.
pub(crate) const SSE: &str = "text/event-stream";

/// Whether a `Content-Type` names a media type, whatever its parameters.
pub(crate) fn is_media_type(content_type: &str, media_type: &str) -> bool {
    content_type.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case(media_type)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_and_case_of_a_media_type_do_not_matter() {
        assert!(is_media_type("Application/JSON; charset=utf-8", JSON));
        assert!(!is_media_type("application/jsonl", JSON));
        assert!(!is_media_type("", JSON));
    }
}
