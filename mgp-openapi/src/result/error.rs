//! The messages of responses that are errors.

use crate::{limits::MAX_ERROR, text::shortened};
use serde_json::Value;

/// The members that hold a message, in the order in which they are looked for.
const MESSAGES: &[&str] =
    &["message", "error_description", "errorMessage", "error_message", "msg", "description", "reason"];

/// The members of an entry of `errors` that state its place.
const PLACES: &[&str] =
    &["field", "path", "param", "parameter", "pointer", "name", "loc", "location", "property"];

/// The most entries of `errors` that are repeated.
const MAX_ENTRIES: usize = 10;

/// The deepest nesting of errors that is read.
const MAX_DEPTH: usize = 4;

/// Returns the API's own message in a response that is an error: that of RFC 9457 or of a common form of errors, else
/// the beginning of the body.
pub(super) fn message(content_type: Option<&str>, body: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(body);
    let is_binary = std::str::from_utf8(body).is_err();
    let own = serde_json::from_slice::<Value>(body).ok().and_then(|value| of_value(&value, 0));
    let message = match own {
        Some(message) => message,
        None if is_binary => {
            format!("a body of {} bytes of type {}", body.len(), content_type.unwrap_or("unknown"))
        }
        None => text.split_whitespace().collect::<Vec<_>>().join(" "),
    };
    Some(shortened(&message, MAX_ERROR)).filter(|message| !message.is_empty())
}

fn of_value(value: &Value, depth: usize) -> Option<String> {
    if depth > MAX_DEPTH {
        return None;
    }
    match value {
        Value::String(text) => Some(text.trim().to_owned()).filter(|text| !text.is_empty()),
        Value::Array(entries) => entries_of(entries, depth),
        Value::Object(_) => of_object(value, depth),
        _ => None,
    }
}

fn of_object(value: &Value, depth: usize) -> Option<String> {
    let text =
        |name: &str| value.get(name).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
    let mut parts: Vec<String> = Vec::new();
    // RFC 9457, section 3.1.
    match (text("title"), text("detail")) {
        (Some(title), Some(detail)) => parts.push(format!("{title}: {detail}")),
        (Some(text), None) | (None, Some(text)) => parts.push(text.to_owned()),
        (None, None) => {}
    }
    let known = MESSAGES.iter().find_map(|name| text(name));
    let nested =
        || value.get("error").or_else(|| value.get("fault")).and_then(|error| of_value(error, depth + 1));
    match (known, nested()) {
        // OAuth has a code in `error` and a sentence next to it.
        (Some(message), Some(error)) if error != message => parts.push(format!("{error}: {message}")),
        (Some(message), _) => parts.push(message.to_owned()),
        (None, Some(error)) => parts.push(error),
        (None, None) => {}
    }
    for name in ["errors", "details", "detail", "invalid-params", "violations", "non_field_errors"] {
        match value.get(name) {
            Some(Value::Array(entries)) => parts.extend(entries_of(entries, depth)),
            Some(Value::Object(fields)) if name == "errors" => {
                let field =
                    |(name, value): (&String, _)| Some(format!("{name}: {}", of_value(value, depth + 1)?));
                parts.extend(fields.iter().filter_map(field).take(MAX_ENTRIES));
            }
            _ => {}
        }
    }
    parts.dedup();
    (!parts.is_empty()).then(|| parts.join("; "))
}

fn entries_of(entries: &[Value], depth: usize) -> Option<String> {
    let entry = |entry: &Value| {
        let message = of_value(entry, depth + 1)?;
        let place = PLACES.iter().find_map(|name| entry.get(*name)).map(place);
        Some(match place {
            Some(place) if !place.is_empty() && place != message => format!("{place}: {message}"),
            _ => message,
        })
    };
    let mut messages: Vec<String> = entries.iter().filter_map(entry).take(MAX_ENTRIES).collect();
    if let Some(more) = entries.len().checked_sub(MAX_ENTRIES).filter(|more| *more > 0) {
        messages.push(format!("and {more} more"));
    }
    (!messages.is_empty()).then(|| messages.join("; "))
}

/// Returns the place that an error is about, as text.
fn place(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().map(place).collect::<Vec<_>>().join("."),
        Value::Number(number) => number.to_string(),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_message_of_each_common_form_is_found() {
        for (body, expected) in [
            (r#"{"type": "about:blank", "title": "Bad", "status": 400, "detail": "No id."}"#, "Bad: No id."),
            (r#"{"message": "Not Found", "documentation_url": "x"}"#, "Not Found"),
            (r#"{"error": "no"}"#, "no"),
            (r#"{"error": {"code": 7, "message": "no"}}"#, "no"),
            (r#"{"error": "invalid_grant", "error_description": "expired"}"#, "invalid_grant: expired"),
            (
                r#"{"message": "Validation Failed", "errors": [{"field": "name", "code": "x", "message": "too long"}, "b"]}"#,
                "Validation Failed; name: too long; b",
            ),
            (
                r#"{"detail": [{"loc": ["body", 0, "id"], "msg": "field required"}]}"#,
                "body.0.id: field required",
            ),
            (r#"{"errors": {"name": ["is empty"]}}"#, "name: is empty"),
            (r#"[{"message": "a"}]"#, "a"),
            (r#"{"code": 7}"#, r#"{"code": 7}"#),
            ("<h1>\n  Oops </h1>", "<h1> Oops </h1>"),
            (r#""plain""#, "plain"),
        ] {
            assert_eq!(message(None, body.as_bytes()).as_deref(), Some(expected), "{body}");
        }
        assert_eq!(message(None, b"  "), None);
        let expected = "a body of 2 bytes of type application/zip";
        assert_eq!(message(Some("application/zip"), b"\xff\xfe").as_deref(), Some(expected));
    }

    #[test]
    fn many_or_long_errors_are_cut() {
        let entries = vec![r#"{"message": "a"}"#; 50].join(",");
        let text = message(None, format!("{{\"errors\": [{entries}]}}").as_bytes()).unwrap();
        assert!(text.ends_with("a; and 40 more"));
        assert!(message(None, &vec![b'x'; 100_000]).unwrap().chars().count() <= MAX_ERROR);
    }
}
