//! The types of a tool's input and output, if its definition names them.

use crate::{
    tool::{IndexedTool, is_same_type},
    words::{plain_word_set, plain_words},
};
use serde_json::Value;
use std::collections::BTreeSet;

/// The greatest depth to which a schema is read, and the most of its nodes.
const MAX_DEPTH: usize = 8;
const MAX_NODES: usize = 500;

/// The input or the output of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ToolSide {
    /// The input: `inputSchema`.
    Input,
    /// The output: `outputSchema`.
    Output,
}

/// Returns the share of the wanted types that the tool's input or output mentions, from 0 to 1; 0 if no type is requested.
///
/// A type is mentioned if it is one of the MIME types of that side, or if all of its words occur in the schema of that side or in
/// the tool's name or description. Of a schema, the names of members, formats, media types, types and texts count. Names and
/// descriptions count for both sides, because few tools separate input and output there.
pub(super) fn matched(tool: &IndexedTool, end: ToolSide, wanted: &[String]) -> f64 {
    if wanted.is_empty() {
        return 0.0;
    }
    let spoken = spoken_of(tool, end);
    let named = match end {
        ToolSide::Input => tool.input_types(),
        ToolSide::Output => tool.output_types(),
    };
    let is_spoken_of = |wanted: &&String| {
        if named.iter().any(|named| is_same_type(named, wanted)) {
            return true;
        }
        let words = plain_words(wanted);
        !words.is_empty() && words.iter().all(|word| spoken.contains(word) || plural_is_in(word, &spoken))
    };
    #[expect(clippy::cast_precision_loss, reason = "a few dozen at most")]
    let share = wanted.iter().filter(is_spoken_of).count() as f64 / wanted.len() as f64;
    share
}

fn plural_is_in(word: &str, spoken: &BTreeSet<String>) -> bool {
    spoken.contains(&format!("{word}s")) || word.strip_suffix('s').is_some_and(|one| spoken.contains(one))
}

fn spoken_of(tool: &IndexedTool, end: ToolSide) -> BTreeSet<String> {
    let mut spoken = plain_word_set(&tool.text().description);
    spoken.extend(plain_word_set(&tool.text().name));
    let schema = match end {
        ToolSide::Input => Some(tool.input_schema()),
        ToolSide::Output => tool.definition().get("outputSchema").cloned(),
    };
    if let Some(schema) = schema.and_then(|schema| schema.decode::<Value>().ok()) {
        read(&schema, MAX_DEPTH, &mut MAX_NODES.clone(), &mut spoken);
    }
    spoken
}

fn read(schema: &Value, depth: usize, left: &mut usize, spoken: &mut BTreeSet<String>) {
    let (Some(depth), Some(rest)) = (depth.checked_sub(1), left.checked_sub(1)) else { return };
    *left = rest;
    match schema {
        Value::Object(members) => {
            for (key, value) in members {
                match (key.as_str(), value) {
                    (
                        "description" | "title" | "format" | "contentMediaType" | "type" | "const",
                        Value::String(text),
                    ) => spoken.extend(plain_word_set(text)),
                    ("properties" | "$defs" | "definitions", Value::Object(named)) => {
                        for (name, inner) in named {
                            spoken.extend(plain_word_set(name));
                            read(inner, depth, left, spoken);
                        }
                    }
                    (_, Value::Object(_) | Value::Array(_)) => read(value, depth, left, spoken),
                    _ => {}
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| read(item, depth, left, spoken)),
        // The values of an `enum`.
        Value::String(text) => spoken.extend(plain_word_set(text)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mgp_types::{context::RiskLevel, json::RawJson};

    #[test]
    fn declared_mime_types_are_matched() {
        let definition = r#"{"name":"look","_meta":{"dev.cloto/tool":{"input_types":["image/*"],"output_types":["application/json"]}}}"#;
        let definition = RawJson::parse(definition).unwrap();
        let tool = IndexedTool::new("s", &definition, RiskLevel::Safe).unwrap();
        assert_eq!(matched(&tool, ToolSide::Input, &["image/png".to_owned()]), 1.0);
        assert_eq!(matched(&tool, ToolSide::Input, &["audio/ogg".to_owned()]), 0.0);
        assert_eq!(matched(&tool, ToolSide::Output, &["application/json".to_owned()]), 1.0);
    }

    fn tool() -> IndexedTool {
        let definition = r#"{"name":"plot","description":"Draws a table of numbers.",
            "inputSchema":{"type":"object","properties":{
                "rows":{"type":"array","items":{"type":"string","contentMediaType":"text/csv"}},
                "colour":{"enum":["red","dark blue"]},"when":{"type":"string","format":"date-time"}}},
            "outputSchema":{"type":"object","properties":{"image":{"type":"string","contentMediaType":"image/png"}}}}"#;
        let definition = RawJson::parse(definition.to_owned()).unwrap();
        IndexedTool::new("s", &definition, RiskLevel::Safe).unwrap()
    }

    #[test]
    fn a_type_is_found_in_names_media_types_and_texts() {
        let matched = |end, wanted: &[&str]| {
            let wanted: Vec<String> = wanted.iter().map(ToString::to_string).collect();
            (matched(&tool(), end, &wanted) * 100.0).round()
        };
        for wanted in ["csv", "text/csv", "Rows", "row", "dateTime", "dark_blue", "number", "tables"] {
            assert_eq!(matched(ToolSide::Input, &[wanted]), 100.0, "{wanted}");
        }
        for wanted in ["png", "image", "__", "blue_table_x"] {
            assert_eq!(matched(ToolSide::Input, &[wanted]), 0.0, "{wanted}");
        }
        assert_eq!(matched(ToolSide::Output, &["png", "csv", "numbers", "sound"]), 50.0);
        assert_eq!(matched(ToolSide::Input, &[]), 0.0);
    }
}
