//! The names and values of headers that both ends use.

use http::{HeaderMap, HeaderName, header::CONTENT_TYPE};

/// The header that names a session. Anyone who knows its value can use the session, so the value is never logged.
pub(crate) const SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");
/// The header that names the agreed revision of MCP.
pub(crate) const PROTOCOL_VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");

/// The header that repeats the method of a request of a stateless revision.
pub(crate) const METHOD: HeaderName = HeaderName::from_static("mcp-method");
/// The header that repeats the subject of a stateless revision's request: the name of a tool or prompt, or the URI of a resource.
pub(crate) const NAME: HeaderName = HeaderName::from_static("mcp-name");
/// The header that names the event after which a stream is resumed.
pub(crate) const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// The media type of a single message.
pub(crate) const JSON: &str = "application/json";
/// The media type of a stream of messages.
pub(crate) const SSE: &str = "text/event-stream";

/// Returns the `Content-Type`; an empty text if there is none, or one that cannot be read.
pub(crate) fn content_type(headers: &HeaderMap) -> &str {
    headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

/// Returns `true` if a `Content-Type` names a media type, regardless of its parameters.
pub(crate) fn is_media_type(content_type: &str, media_type: &str) -> bool {
    content_type.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case(media_type)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_media_type_s_parameters_and_case_do_not_matter() {
        assert!(is_media_type("Application/JSON; charset=utf-8", JSON));
        assert!(!is_media_type("application/jsonl", JSON));
        assert!(!is_media_type("", JSON));
    }
}
