//! The bounds of the memory that a session uses.

use serde_json::{Map, Value};

/// The most bytes that are read of a session.
pub(super) const MAX_READ: usize = 64 << 20;
/// The most values in one message, each of which takes much more memory than text.
pub(super) const MAX_VALUES: usize = 200_000;
/// The most weight of notifications and errors that are kept of a session.
const MAX_KEPT: usize = 16 << 20;
/// The weight of a message that is kept whole.
const WHOLE: usize = 64 << 10;
/// The weight of a member that is kept of a heavier message.
const MEMBER: usize = 4 << 10;
/// The members that are kept of a heavier message.
const MEMBERS: usize = 8;

/// The memory that a session may still use.
#[derive(Debug)]
pub(super) struct KeptBytes {
    read: usize,
    kept: usize,
}

impl KeptBytes {
    pub(super) const fn new() -> Self {
        Self { read: MAX_READ, kept: MAX_KEPT }
    }

    /// Adds the length of a message that was read. Returns `false` if that is more than a session may have.
    pub(super) fn read(&mut self, bytes: usize) -> bool {
        let left = self.read.checked_sub(bytes);
        self.read = left.unwrap_or(0);
        left.is_some()
    }

    /// Returns a copy of a message to keep, without the heavy members of a heavy one. Returns `None` if enough is kept already.
    pub(super) fn copy(&mut self, message: &Value) -> Option<Value> {
        let copy = if weight(message) <= WHOLE { message.clone() } else { without_heavy_members(message) };
        self.kept = self.kept.checked_sub(weight(&copy))?;
        Some(copy)
    }
}

/// Returns the approximate memory that a value takes, in bytes.
pub(crate) fn weight(value: &Value) -> usize {
    /// The weight of a value without its content.
    const VALUE: usize = 32;
    /// The weight of an object with few members, which has room for eleven of them.
    const OBJECT: usize = 640;
    match value {
        Value::String(text) => VALUE + text.len(),
        Value::Array(items) => VALUE + items.iter().map(weight).sum::<usize>(),
        Value::Object(members) => {
            OBJECT + members.iter().map(|(name, value)| VALUE + name.len() + weight(value)).sum::<usize>()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => VALUE,
    }
}

/// Returns whether a text of JSON has more values than are read.
pub(super) fn has_too_many_values(text: &[u8]) -> bool {
    let (mut values, mut in_text, mut is_escaped) = (0_usize, false, false);
    for byte in text {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if in_text => is_escaped = true,
            b'"' => in_text = !in_text,
            b'{' | b'[' | b',' if !in_text => values += 1,
            _ => {}
        }
    }
    values > MAX_VALUES
}

/// Returns a message with only its light members, and the light members of its params.
fn without_heavy_members(message: &Value) -> Value {
    let Value::Object(members) = message else { return Value::Null };
    let light = |(name, value): (&String, &Value)| {
        (name.len() + weight(value) <= MEMBER).then(|| (name.clone(), value.clone()))
    };
    let some =
        |members: &Map<String, Value>| members.iter().filter_map(light).take(MEMBERS).collect::<Map<_, _>>();
    let mut kept = some(members);
    if let Some(Value::Object(params)) = members.get("params")
        && !kept.contains_key("params")
    {
        kept.insert("params".to_owned(), some(params).into());
    }
    kept.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_bounded_number_of_messages_is_kept_without_heavy_members() {
        let mut left = KeptBytes::new();
        let short = json!({"method": "m", "params": {"a": 1}});
        assert_eq!(left.copy(&short), Some(short));
        let long = json!({"method": "m", "params": {"token": 7, "data": "x".repeat(1 << 20)}});
        assert_eq!(left.copy(&long), Some(json!({"method": "m", "params": {"token": 7}})));
        let half = json!({"method": "x".repeat(WHOLE / 2)});
        let kept = (0..2_000).filter_map(|_| left.copy(&half)).count();
        assert!((400..=MAX_KEPT / (WHOLE / 2)).contains(&kept), "{kept}");
    }

    #[test]
    fn only_a_bounded_number_of_bytes_is_read() {
        let mut left = KeptBytes::new();
        assert!(left.read(MAX_READ - 1) && left.read(1) && !left.read(1));
    }

    #[test]
    fn values_are_counted_only_outside_of_texts() {
        let many = |value: &str| format!("[{}]", vec![value; MAX_VALUES + 1].join(","));
        assert!(has_too_many_values(many("{}").as_bytes()));
        assert!(has_too_many_values(many(r#""\"""#).as_bytes()));
        assert!(!has_too_many_values(json!(many("{}")).to_string().as_bytes()));
        assert!(!has_too_many_values(br#"{"a":["\\",{"b":1}]}"#));
    }

    #[test]
    fn a_text_that_needs_much_memory_weighs_much() {
        let objects = Value::Array(vec![json!({"": 0}); 1_000]);
        assert!(weight(&objects) > 600_000, "{}", weight(&objects));
        assert!(weight(&json!("x".repeat(1_000))) < 1_100);
    }
}
