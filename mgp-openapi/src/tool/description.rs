//! The title and the description of a tool.

use crate::{
    limits::{MAX_DESCRIPTION, MAX_TITLE},
    operation::Method,
    text::shortened,
};
use serde_json::Value;

/// Facts about a tool that its description states.
#[derive(Debug, Default)]
pub(super) struct Notes {
    pub(super) input_is_simplified: bool,
    pub(super) output_is_simplified: bool,
    /// The sets of arguments of which at least one must be present.
    pub(super) choices: Vec<Vec<String>>,
}

/// Returns the title of an operation, if it has one.
pub(super) fn title(operation: &Value) -> Option<String> {
    text(operation, "summary").map(|summary| shortened(summary, MAX_TITLE))
}

/// Returns the description of an operation. The document's own text is cut to a length, the notes never.
pub(super) fn description(operation: &Value, method: Method, path: &str, notes: &Notes) -> String {
    let mut parts = Vec::new();
    if operation.get("deprecated") == Some(&Value::Bool(true)) {
        parts.push("Deprecated.".to_owned());
    }
    let (summary, details) = (text(operation, "summary"), text(operation, "description"));
    let own = match (summary, details) {
        (Some(summary), Some(details)) if !details.starts_with(summary) => {
            let stop = if summary.ends_with(['.', '!', '?', ':']) { "" } else { "." };
            format!("{summary}{stop} {details}")
        }
        (_, Some(text)) | (Some(text), None) => text.to_owned(),
        (None, None) => format!("{method} {path}"),
    };
    parts.push(shortened(&own, MAX_DESCRIPTION));
    if !notes.choices.is_empty() {
        let choices: Vec<String> =
            notes.choices.iter().map(|names| format!("`{}`", names.join("` and `"))).collect();
        parts.push(format!("Requires {}.", choices.join(" or ")));
    }
    if notes.input_is_simplified {
        parts.push("The schema of the arguments is simplified: parts of it would be too large.".to_owned());
    }
    if notes.output_is_simplified {
        parts.push("The schema of the result is simplified: parts of it would be too large.".to_owned());
    }
    parts.join("\n\n")
}

/// Returns a text of an operation, without what is certainly too long.
fn text<'d>(operation: &'d Value, name: &str) -> Option<&'d str> {
    let text = operation.get(name).and_then(Value::as_str)?;
    let end = text.char_indices().nth(MAX_DESCRIPTION + 1).map_or(text.len(), |(at, _)| at);
    text.get(..end).map(str::trim).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(operation: &Value, expected: &str) {
        assert_eq!(description(operation, Method::Get, "/a", &Notes::default()), expected);
    }

    #[test]
    fn a_description_has_the_summary_and_the_details() {
        check(&json!({"summary": "List users", "description": "All of them."}), "List users. All of them.");
        check(&json!({"summary": "List", "description": "List users"}), "List users");
        check(&json!({"summary": " List. "}), "List.");
        check(&json!({"deprecated": true}), "Deprecated.\n\nGET /a");
    }

    #[test]
    fn notes_follow_even_a_long_description() {
        let notes = Notes {
            input_is_simplified: true,
            output_is_simplified: true,
            choices: vec![vec!["a".into()], vec!["b".into(), "c".into()]],
        };
        let text = description(&json!({"description": "x".repeat(10_000)}), Method::Get, "/a", &notes);
        assert!(text.contains("Requires `a` or `b` and `c`."));
        assert!(text.ends_with("The schema of the result is simplified: parts of it would be too large."));
        assert!(text.chars().count() < MAX_DESCRIPTION + 300);
    }
}
