//! Texts that are cut to a length.

use crate::limits::MAX_SHOWN;
use serde_json::Value;

/// The most levels of a value that a schema contains, such as a default.
const MAX_LEVELS: usize = 12;

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

/// Returns whether a value has at most about `max` bytes as JSON, and few levels. Reads no more of a longer value.
pub(crate) fn is_within(value: &Value, max: usize) -> bool {
    left_of(value, max, MAX_LEVELS).is_some()
}

/// Returns the bytes that a value of at most `levels` levels leaves of `left`.
fn left_of(value: &Value, left: usize, levels: usize) -> Option<usize> {
    let (left, levels) = (left.checked_sub(2)?, levels.checked_sub(1)?);
    match value {
        Value::Array(items) => items.iter().try_fold(left, |left, item| left_of(item, left, levels)),
        Value::Object(members) => members
            .iter()
            .try_fold(left, |left, (name, value)| left_of(value, left.checked_sub(name.len() + 3)?, levels)),
        Value::String(text) => left.checked_sub(text.len()),
        _ => Some(left),
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
    fn the_length_of_a_value_is_bounded_without_reading_it_whole() {
        for (value, expected) in [
            (serde_json::json!("abc"), true),
            (serde_json::json!(["abc", 1, null]), true),
            (serde_json::json!({"key": "abcdefghi"}), false),
            (serde_json::json!([[[[[[[[[[[]]]]]]]]]]]), false),
            (serde_json::json!([[[[[]]]]]), true),
        ] {
            assert_eq!(is_within(&value, 14), expected, "{value}");
        }
    }

    #[test]
    fn a_composite_value_is_shown_by_its_size() {
        assert_eq!(shown_value(&serde_json::json!([1, 2])), "an array of 2 items");
        assert_eq!(shown_value(&serde_json::json!("a")), "\"a\"");
    }
}
