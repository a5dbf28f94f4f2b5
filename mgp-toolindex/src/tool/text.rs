//! The words of a definition, field by field.

use mgp_types::json::RawObject;
use serde_json::Value;
use std::collections::BTreeSet;

/// The greatest depth to which parameters are read.
const MAX_DEPTH: usize = 8;
/// The most parameters that are read.
const MAX_PARAMETERS: usize = 500;
/// The most text of one field that is read, in bytes.
const MAX_TEXT: usize = 16 * 1024;

/// The words that searches find a tool by.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SearchText {
    /// The name on the server.
    pub name: String,
    /// The title: a name for people.
    pub title: String,
    /// The description.
    pub description: String,
    /// The names of the tool's parameters, including nested ones.
    pub parameters: String,
    /// The descriptions of the tool's parameters, and the values that they can have.
    pub parameter_descriptions: String,
    /// Categories and keywords.
    pub keywords: String,
}

impl SearchText {
    pub(super) fn read(name: &str, definition: &RawObject, categories: &BTreeSet<String>) -> Self {
        let text = |key| clip(definition.text(key).unwrap_or_default());
        let annotated = || definition.object("annotations").and_then(|hints| hints.text("title"));
        let mut found = Self {
            name: name.to_owned(),
            title: clip(definition.text("title").or_else(annotated).unwrap_or_default()),
            description: text("description"),
            ..Self::default()
        };
        let keywords = definition.decode::<Vec<String>>("keywords").ok().flatten().unwrap_or_default();
        for word in categories.iter().chain(&keywords) {
            append(&mut found.keywords, word);
        }
        if let Ok(Some(schema)) = definition.decode::<Value>("inputSchema") {
            let mut left = MAX_PARAMETERS;
            found.schema(&schema, MAX_DEPTH, &mut left);
        }
        found
    }

    fn schema(&mut self, schema: &Value, depth: usize, left: &mut usize) {
        let (Some(schema), Some(depth)) = (schema.as_object(), depth.checked_sub(1)) else { return };
        for key in ["description", "title"] {
            if let Some(text) = schema.get(key).and_then(Value::as_str) {
                append(&mut self.parameter_descriptions, text);
            }
        }
        for value in schema.get("enum").and_then(Value::as_array).into_iter().flatten().take(50) {
            if let Some(text) = value.as_str() {
                append(&mut self.parameter_descriptions, text);
            }
        }
        for (name, property) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
            let Some(rest) = left.checked_sub(1) else { return };
            *left = rest;
            append(&mut self.parameters, name);
            self.schema(property, depth, left);
        }
        for key in ["items", "additionalProperties"] {
            if let Some(inner) = schema.get(key) {
                self.schema(inner, depth, left);
            }
        }
        for key in ["anyOf", "oneOf", "allOf"] {
            for inner in schema.get(key).and_then(Value::as_array).into_iter().flatten() {
                self.schema(inner, depth, left);
            }
        }
        for inner in schema.get("$defs").and_then(Value::as_object).into_iter().flat_map(|defs| defs.values())
        {
            self.schema(inner, depth, left);
        }
    }
}

fn append(text: &mut String, more: &str) {
    if text.len() + more.len() < MAX_TEXT {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(more);
    }
}

fn clip(mut text: String) -> String {
    let end = (0..=MAX_TEXT.min(text.len())).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    text.truncate(end);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> SearchText {
        SearchText::read("n", &RawObject::parse(text.to_owned()).unwrap(), &BTreeSet::new())
    }

    #[test]
    fn nested_parameters_are_read() {
        let text = read(
            r#"{"description":"D","annotations":{"title":"T"},"keywords":["k"],"inputSchema":{
            "properties":{"path":{"description":"where"},"edits":{"items":{"properties":{"new_text":{"enum":["x","y"]}}}}},
            "$defs":{"Z":{"anyOf":[{"properties":{"inner":{"title":"In"}}}]}}}}"#,
        );
        assert_eq!((text.title.as_str(), text.description.as_str(), text.keywords.as_str()), ("T", "D", "k"));
        let words = |text: &str| text.lines().map(str::to_owned).collect::<BTreeSet<_>>();
        assert_eq!(words(&text.parameters), words("path\nedits\nnew_text\ninner"));
        assert_eq!(words(&text.parameter_descriptions), words("where\nx\ny\nIn"));
    }

    #[test]
    fn huge_definitions_are_read_up_to_a_bound() {
        let deep =
            format!(r#"{{"inputSchema":{}1{}}}"#, r#"{"properties":{"p":"#.repeat(30), "}}".repeat(30));
        assert_eq!(read(&deep).parameters.lines().count(), MAX_DEPTH);
        let wide: Vec<String> = (0..1000).map(|i| format!(r#""p{i}":{{}}"#)).collect();
        let wide = format!(r#"{{"inputSchema":{{"properties":{{{}}}}}}}"#, wide.join(","));
        assert_eq!(read(&wide).parameters.lines().count(), MAX_PARAMETERS);
        let long = format!(r#"{{"description":"{}"}}"#, "é".repeat(20_000));
        assert!(read(&long).description.len() <= MAX_TEXT);
    }
}
