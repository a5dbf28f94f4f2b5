//! Reads YAML by the core schema of YAML 1.2, with a bound on what its anchors expand to.

use super::DocumentError;
use crate::limits::{MAX_NESTING, MAX_VALUES};
use saphyr_parser::{Event, Parser, ScalarStyle};
use serde_json::{Map, Number, Value};
use std::collections::HashMap;

/// A list or map that is not yet complete.
struct Container {
    anchor: usize,
    content: Content,
}

enum Content {
    List(Vec<Value>),
    /// The members, and the key whose value follows.
    Map(Map<String, Value>, Option<String>),
}

/// A value under construction.
#[derive(Default)]
struct Builder {
    open: Vec<Container>,
    anchors: HashMap<usize, (Value, usize)>,
    whole: Option<Value>,
    values: usize,
    line: usize,
}

/// Returns the first document of a text.
pub(super) fn value(text: &str) -> Result<Value, DocumentError> {
    let mut builder = Builder::default();
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| DocumentError::Syntax {
            format: "YAML",
            line: error.marker().line(),
            column: error.marker().col() + 1,
            message: error.info().to_owned(),
        })?;
        builder.line = span.start.line();
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                let is_text = style != ScalarStyle::Plain || tag.is_some_and(|tag| tag.suffix == "str");
                let value = if is_text { Value::String(text.into_owned()) } else { scalar(&text) };
                builder.add(value, anchor, 1)?;
            }
            Event::SequenceStart(anchor, _) => builder.open(anchor, Content::List(Vec::new()))?,
            Event::MappingStart(anchor, _) => builder.open(anchor, Content::Map(Map::new(), None))?,
            Event::SequenceEnd | Event::MappingEnd => builder.close()?,
            Event::Alias(anchor) => {
                let (value, size) = builder.anchors.get(&anchor).cloned().unwrap_or((Value::Null, 1));
                builder.add(value, 0, size)?;
            }
            Event::DocumentEnd => break,
            _ => {}
        }
    }
    Ok(builder.whole.unwrap_or_default())
}

impl Builder {
    fn open(&mut self, anchor: usize, content: Content) -> Result<(), DocumentError> {
        if self.open.len() >= MAX_NESTING {
            return Err(DocumentError::TooDeep { line: self.line });
        }
        self.open.push(Container { anchor, content });
        Ok(())
    }

    fn close(&mut self) -> Result<(), DocumentError> {
        let Some(container) = self.open.pop() else { return Ok(()) };
        let value = match container.content {
            Content::List(items) => Value::Array(items),
            Content::Map(mut members, _) => {
                merge(&mut members);
                Value::Object(members)
            }
        };
        self.add(value, container.anchor, 1)
    }

    /// Adds a complete value of `size` values to the innermost container.
    fn add(&mut self, value: Value, anchor: usize, size: usize) -> Result<(), DocumentError> {
        self.values += size;
        if self.values > MAX_VALUES {
            return Err(DocumentError::TooManyValues { line: self.line });
        }
        if anchor > 0 {
            let (size, depth) = measured(&value);
            if depth + self.open.len() > MAX_NESTING {
                return Err(DocumentError::TooDeep { line: self.line });
            }
            self.values += size;
            self.anchors.insert(anchor, (value.clone(), size));
        }
        if size > 1 && measured(&value).1 + self.open.len() > MAX_NESTING {
            return Err(DocumentError::TooDeep { line: self.line });
        }
        match self.open.last_mut().map(|container| &mut container.content) {
            None => self.whole = Some(value),
            Some(Content::List(items)) => items.push(value),
            Some(Content::Map(members, key)) => match key.take() {
                None => *key = Some(key_of(value)),
                Some(name) => {
                    members.insert(name, value);
                }
            },
        }
        Ok(())
    }
}

/// Adds the members of the merge key `<<`, which do not replace other members.
fn merge(members: &mut Map<String, Value>) {
    let sources = match members.remove("<<") {
        Some(Value::Object(source)) => vec![Value::Object(source)],
        Some(Value::Array(sources)) => sources,
        Some(other) => {
            members.insert("<<".to_owned(), other);
            return;
        }
        None => return,
    };
    for source in sources {
        if let Value::Object(source) = source {
            for (name, value) in source {
                members.entry(name).or_insert(value);
            }
        }
    }
}

/// Returns the number of values in a value, itself included, and its depth.
fn measured(value: &Value) -> (usize, usize) {
    let sum = |parts: &mut dyn Iterator<Item = &Value>| {
        let (size, depth) =
            parts.map(measured).fold((0, 0), |(size, depth), (more, deep)| (size + more, depth.max(deep)));
        (size + 1, depth + 1)
    };
    match value {
        Value::Array(items) => sum(&mut items.iter()),
        Value::Object(members) => sum(&mut members.values()),
        _ => (1, 0),
    }
}

/// Returns the text of a key. A number keeps its spelling as JSON: the key `200` of a response is text in OpenAPI.
fn key_of(value: Value) -> String {
    match value {
        Value::String(text) => text,
        other => other.to_string(),
    }
}

/// Returns the value of a plain scalar.
fn scalar(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Value::Null,
        "true" | "True" | "TRUE" => return Value::Bool(true),
        "false" | "False" | "FALSE" => return Value::Bool(false),
        _ => {}
    }
    number(text).map_or_else(|| Value::String(text.to_owned()), Value::Number)
}

fn number(text: &str) -> Option<Number> {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    if let Some(digits) = unsigned.strip_prefix("0x") {
        return u64::from_str_radix(digits, 16).ok().map(Number::from);
    }
    if let Some(digits) = unsigned.strip_prefix("0o") {
        return u64::from_str_radix(digits, 8).ok().map(Number::from);
    }
    let starts_like_one = unsigned.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    if !starts_like_one || !unsigned.contains(|c: char| c.is_ascii_digit()) {
        return None;
    }
    if unsigned.bytes().all(|byte| byte.is_ascii_digit()) {
        // `007` is text in the documents that have it: an example of an identifier.
        if unsigned.len() > 1 && unsigned.starts_with('0') {
            return None;
        }
        let text = text.strip_prefix('+').unwrap_or(text);
        return text.parse::<u64>().map(Number::from).or_else(|_| text.parse::<i64>().map(Number::from)).ok();
    }
    let is_float = unsigned.bytes().all(|byte| byte.is_ascii_digit() || b".eE+-".contains(&byte));
    if is_float { text.parse::<f64>().ok().and_then(Number::from_f64) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn scalars_follow_the_core_schema() {
        let text = "[on, yes, true, ~, 1, -2, 0x1f, 1.50, 1e3, '1', \"true\", 1.2.3, 2020-01-01, 007, !!str 5, .a, -a, .]";
        let expected = json!([
            "on",
            "yes",
            true,
            null,
            1,
            -2,
            31,
            1.5,
            1000.0,
            "1",
            "true",
            "1.2.3",
            "2020-01-01",
            "007",
            "5",
            ".a",
            "-a",
            "."
        ]);
        assert_eq!(value(text).unwrap(), expected);
    }

    #[test]
    fn keys_are_texts_and_merge_keys_add_members() {
        let text = "base: &b {x: 1, y: 2}\nown:\n  <<: *b\n  y: 3\n200: ok\n";
        let expected = json!({"base": {"x": 1, "y": 2}, "own": {"x": 1, "y": 3}, "200": "ok"});
        assert_eq!(value(text).unwrap(), expected);
    }

    #[test]
    fn anchors_that_multiply_are_refused() {
        let mut text = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n".to_owned();
        for level in 1..12 {
            let last = format!("*a{}, ", level - 1).repeat(10);
            text.push_str(&format!("a{level}: &a{level} [{last}]\n"));
        }
        assert!(matches!(value(&text), Err(DocumentError::TooManyValues { .. })));
    }

    #[test]
    fn anchors_that_nest_are_refused() {
        let mut text = "a0: &a0 [1]\n".to_owned();
        for level in 1..200 {
            text.push_str(&format!("a{level}: &a{level} [*a{}]\n", level - 1));
        }
        assert!(matches!(value(&text), Err(DocumentError::TooDeep { .. })));
    }

    #[test]
    fn an_anchor_inside_itself_is_null() {
        assert_eq!(value("a: &x [*x]").unwrap(), json!({"a": [null]}));
    }
}
