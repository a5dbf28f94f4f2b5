//! Reads a text as JSON or YAML, by its content.

use super::{DocumentError, yaml};
use crate::limits::{MAX_NESTING, MAX_TEXT};
use serde_json::{Value, error::Category};

/// Returns the content of a text, which is JSON if it begins with an object's brace and, unless empty, a quoted key.
pub(super) fn value(text: &str) -> Result<Value, DocumentError> {
    if text.len() > MAX_TEXT {
        return Err(DocumentError::TooLong { size: text.len() });
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let first = text.trim_start().strip_prefix('{').map(str::trim_start);
    // A mapping of YAML may begin with a brace too.
    if !first.is_some_and(|rest| rest.starts_with(['"', '}'])) {
        return yaml::value(text);
    }
    check_nesting(text)?;
    serde_json::from_str(text).map_err(|error| syntax(&error))
}

fn syntax(error: &serde_json::Error) -> DocumentError {
    let message = match error.classify() {
        Category::Eof => "the text ends too early".to_owned(),
        _ => error.to_string(),
    };
    DocumentError::Syntax { format: "JSON", line: error.line(), column: error.column(), message }
}

/// Refuses a text in the form of JSON that nests too deep.
fn check_nesting(text: &str) -> Result<(), DocumentError> {
    let (mut depth, mut line, mut in_string, mut is_escaped) = (0usize, 1, false, false);
    for byte in text.bytes() {
        match byte {
            b'\n' => line += 1,
            _ if is_escaped => is_escaped = false,
            b'\\' if in_string => is_escaped = true,
            b'"' => in_string = !in_string,
            b'{' | b'[' if !in_string => {
                depth += 1;
                if depth > MAX_NESTING {
                    return Err(DocumentError::TooDeep { line });
                }
            }
            b'}' | b']' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn json_and_yaml_are_told_apart_by_content() {
        for text in ["{\"a\": [1, true]}", "a: [1, true]", "\u{feff}a:\n  - 1\n  - true\n", "{a: [1, true]}"]
        {
            assert_eq!(value(text), Ok(json!({"a": [1, true]})), "{text}");
        }
    }

    #[test]
    fn a_broken_text_is_named_by_line_and_column() {
        let error = value("{\n  \"a\": }").unwrap_err();
        assert!(matches!(&error, DocumentError::Syntax { format: "JSON", line: 2, .. }), "{error}");
        let error = value("a: b\n c: [").unwrap_err();
        assert!(matches!(&error, DocumentError::Syntax { format: "YAML", line: 2.., .. }), "{error}");
    }

    #[test]
    fn deep_nesting_is_refused_in_both_formats() {
        let deep = "[".repeat(200);
        for text in [format!("{{\"a\": {deep}"), format!("a: {deep}{}", "]".repeat(200))] {
            assert_eq!(value(&text), Err(DocumentError::TooDeep { line: 1 }));
        }
    }
}
