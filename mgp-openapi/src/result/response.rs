//! A result, by the status of its response.

use super::{
    content::{content, structured},
    error::message,
};
use crate::operation::Operation;
use http::StatusCode;
use mgp_types::mcp::CallToolResult;

impl Operation {
    /// Makes the result of a call of the response to its request.
    ///
    /// JSON becomes structured content and text, an image or sound becomes a block of its kind, other bytes become an
    /// embedded resource. A status of 400 or more becomes an error with the API's own message.
    ///
    /// ```
    /// # use mgp_openapi::{Document, Selection};
    /// # let document = Document::parse("{openapi: 3.1.0, paths: {/users: {get: {}}}}")?;
    /// # let operation = document.operations(&Selection::default()).0.remove(0);
    /// let result = operation.result(200, Some("application/json"), br#"{"id": 7}"#);
    /// assert_eq!(result.structured_content.unwrap().as_str(), r#"{"id": 7}"#);
    ///
    /// let result = operation.result(404, Some("application/json"), br#"{"message": "no such user"}"#);
    /// assert!(result.failed());
    /// assert_eq!(result.content[0].as_text(), Some("HTTP 404 Not Found: no such user"));
    /// # Ok::<(), mgp_openapi::DocumentError>(())
    /// ```
    #[must_use]
    pub fn result(&self, status: u16, content_type: Option<&str>, body: &[u8]) -> CallToolResult {
        let label = label(status);
        if status >= 400 {
            return CallToolResult::error(match message(content_type, body) {
                Some(message) => format!("{label}: {message}"),
                None => label,
            });
        }
        if body.is_empty() || status == 204 {
            let meaning =
                if status < 300 { "the request succeeded, without content" } else { "without content" };
            return CallToolResult::text(format!("{label}: {meaning}"));
        }
        let uri = format!("openapi:///{}/result", self.tool().name);
        let mut result = CallToolResult::new(vec![content(content_type, body, &uri)]);
        result.structured_content = structured(content_type, body, self.wraps_result);
        result
    }
}

/// Returns a status with its reason.
fn label(status: u16) -> String {
    let reason = StatusCode::from_u16(status).ok().and_then(|status| status.canonical_reason());
    match reason {
        Some(reason) => format!("HTTP {status} {reason}"),
        None => format!("HTTP {status}"),
    }
}

#[cfg(test)]
mod tests {
    use crate::{Document, Operation, Selection};
    use mgp_types::mcp::CallToolResult;

    fn operation(schema: &str) -> Operation {
        let text = format!(
            r#"{{"openapi": "3.1.0", "paths": {{"/a": {{"get": {{"operationId": "a", "responses": {{"200": {{
                "content": {{"application/json": {{"schema": {schema}}}}}}}}}}}}}}}}}"#
        );
        Document::parse(&text).unwrap().operations(&Selection::default()).0.remove(0)
    }

    fn result(status: u16, content_type: &str, body: &[u8]) -> String {
        let result: CallToolResult =
            operation("{}").result(status, Some(content_type).filter(|t| !t.is_empty()), body);
        serde_json::to_string(&result).unwrap()
    }

    #[test]
    fn a_response_becomes_content_by_its_media_type() {
        for (status, content_type, body, expected) in [
            (
                200,
                "application/json",
                &br#"{"a": 1.50}"#[..],
                r#"{"content":[{"type":"text","text":"{\"a\": 1.50}"}],"structuredContent":{"a": 1.50}}"#,
            ),
            (
                200,
                "application/hal+json; charset=utf-8",
                b"[1]",
                r#"{"content":[{"type":"text","text":"[1]"}],"structuredContent":{"result":[1]}}"#,
            ),
            (200, "text/plain", b"hi", r#"{"content":[{"type":"text","text":"hi"}]}"#),
            (200, "", b"hi", r#"{"content":[{"type":"text","text":"hi"}]}"#),
            (200, "", b"{}", r#"{"content":[{"type":"text","text":"{}"}],"structuredContent":{}}"#),
            (200, "application/json", b"{oops", r#"{"content":[{"type":"text","text":"{oops"}]}"#),
            (
                200,
                "image/png",
                b"\xff",
                r#"{"content":[{"type":"image","data":"/w==","mimeType":"image/png"}]}"#,
            ),
            (
                200,
                "audio/wav",
                b"\xff",
                r#"{"content":[{"type":"audio","data":"/w==","mimeType":"audio/wav"}]}"#,
            ),
            (
                200,
                "application/zip",
                b"\xff",
                r#"{"content":[{"type":"resource","resource":{"uri":"openapi:///a/result","mimeType":"application/zip","blob":"/w=="}}]}"#,
            ),
            (
                204,
                "",
                b"",
                r#"{"content":[{"type":"text","text":"HTTP 204 No Content: the request succeeded, without content"}]}"#,
            ),
            (302, "", b"", r#"{"content":[{"type":"text","text":"HTTP 302 Found: without content"}]}"#),
        ] {
            assert_eq!(result(status, content_type, body), expected);
        }
    }

    #[test]
    fn structured_content_has_the_shape_of_its_schema() {
        for (schema, body, expected) in [
            (r#"{"type": "object"}"#, r#"{"a":1}"#, r#"{"a":1}"#),
            (r#"{"type": "array"}"#, "[1]", r#"{"result":[1]}"#),
            (r#"{"type": ["object", "string"]}"#, r#"{"a":1}"#, r#"{"result":{"a":1}}"#),
            (r#"{"type": "object"}"#, "null", r#"{"result":null}"#),
        ] {
            let operation = operation(schema);
            let result = operation.result(200, Some("application/json"), body.as_bytes());
            assert_eq!(result.structured_content.unwrap().as_str(), expected, "{schema}");
        }
    }

    #[test]
    fn a_status_of_400_or_more_is_an_error() {
        let text = result(500, "text/html", b"<html><body>Oops</body></html>");
        assert_eq!(
            text,
            r#"{"content":[{"type":"text","text":"HTTP 500 Internal Server Error: <html><body>Oops</body></html>"}],"isError":true}"#
        );
        assert!(result(599, "", b"").contains("HTTP 599\""));
        assert!(result(400, "text/plain", "x".repeat(100_000).as_bytes()).len() < 3_000);
    }
}
