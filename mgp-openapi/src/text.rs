//! Texts that are cut to a length.

use crate::limits::MAX_SHOWN;
use serde_json::Value;

/// Returns a text of at most `max` characters, but at least one. A longer text is cut at a word, and ends with an ellipsis.
pub(crate) fn shortened(text: &str, max: usize) -> String {
    let text = text.trim();
    let Some((end, _)) = text.char_indices().nth(max) else { return text.to_owned() };
    // One character is the ellipsis.
    let end = text.char_indices().nth(max.saturating_sub(1)).map_or(end, |(at, _)| at);
    let head = text.get(..end).unwrap_or_default();
    let word = head.rfind(char::is_whitespace).filter(|at| *at > head.len() / 2);
    let head = word.and_then(|at| head.get(..at)).unwrap_or(head);
    format!("{}…", head.trim_end())
}

/// Returns the beginning of a JSON text, for an error.
pub(crate) fn shown(json: &str) -> String {
    shortened(json, MAX_SHOWN)
}

/// Returns the beginning of a value, for an error.
pub(crate) fn shown_value(value: &Value) -> String {
    match value {
        Value::Object(map) => format!("an object of {} members", map.len()),
        Value::Array(items) => format!("an array of {} items", items.len()),
        other => shown(&other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_at_a_word() {
        assert_eq!(shortened(" one two ", 7), "one two");
        assert_eq!(shortened("one two three", 10), "one two…");
        assert_eq!(shortened("ööööööööööö", 4), "ööö…");
        for max in 0..6 {
            assert!(shortened("añ b c d e f", max).chars().count() <= max.max(1));
        }
    }

    #[test]
    fn a_composite_value_is_shown_by_its_size() {
        assert_eq!(shown_value(&serde_json::json!([1, 2])), "an array of 2 items");
        assert_eq!(shown_value(&serde_json::json!("a")), "\"a\"");
    }
}
