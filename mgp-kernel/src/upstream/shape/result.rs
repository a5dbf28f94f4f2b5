//! The result of a call of a shaped tool.

use super::ShapedTool;
use mgp_transport::seam::Reply;
use mgp_types::{
    json::{RawJson, RawObject},
    mcp::CallToolResult,
};
use serde_json::{Value, json};

/// The bytes that a token is estimated as.
const BYTES_OF_TOKEN: u64 = 4;

impl ShapedTool {
    /// Returns whether results are changed.
    pub(crate) fn changes_results(&self) -> bool {
        self.shape.result.is_some() || self.shape.max_tokens.is_some()
    }

    /// Selects the part of a result that hosts get, and cuts it off. Errors, and results without the part, are returned whole. Returns the
    /// result, and whether it was changed.
    pub(crate) fn shape_result(&self, reply: Reply) -> (Reply, bool) {
        let Some(result) = reply.result().filter(|result| !CallToolResult::says_error(result)) else {
            return (reply, false);
        };
        let Ok(mut result) = RawObject::from_json(result) else { return (reply, false) };
        let is_selected = self.select(&mut result);
        let is_cut = self.cut(&mut result);
        if is_selected || is_cut { (Reply::ok(result.to_json()), true) } else { (reply, false) }
    }

    fn select(&self, result: &mut RawObject) -> bool {
        let Some(selection) = &self.shape.result else { return false };
        let Some(value) = structured(result) else { return false };
        let Some(part) = selection.select(&value) else { return false };
        let text = match &part {
            Value::String(text) => text.clone(),
            part => part.to_string(),
        };
        let structured = if part.is_object() { part } else { json!({ "result": part }) };
        let Ok(structured) = RawJson::from_value(&structured) else { return false };
        result.insert("structuredContent", structured);
        put_text(result, &text)
    }

    fn cut(&self, result: &mut RawObject) -> bool {
        let Some(tokens) = self.shape.max_tokens else { return false };
        let most = usize::try_from(tokens.saturating_mul(BYTES_OF_TOKEN)).unwrap_or(usize::MAX);
        let Ok(Some(mut content)) = result.decode::<Vec<Value>>("content") else { return false };
        let size = |block: &Value| block.get("text").and_then(Value::as_str).map_or(0, str::len);
        let whole: usize = content.iter().map(size).sum();
        let is_long = result.get("structuredContent").is_some_and(|part| part.as_bytes().len() > most);
        if whole <= most && !is_long {
            return false;
        }
        // Clients may show either form.
        result.remove("structuredContent");
        let mut left = most;
        for block in &mut content {
            let Some(Value::String(text)) = block.get_mut("text") else { continue };
            text.truncate(text.floor_char_boundary(left));
            left = left.saturating_sub(text.len());
        }
        content.retain(|block| block.get("text").is_none_or(|text| text.as_str() != Some("")));
        if whole > most {
            let note = format!("[cut off: the first {} of {whole} bytes]", most - left);
            content.push(json!({ "type": "text", "text": note }));
        }
        RawJson::from_value(&content).is_ok_and(|content| {
            result.insert("content", content);
            true
        })
    }
}

/// Returns the structured content of a result, or the JSON of its only text.
fn structured(result: &RawObject) -> Option<Value> {
    if let Some(structured) = result.get("structuredContent") {
        return structured.decode().ok();
    }
    let content: Vec<Value> = result.decode("content").ok()??;
    match content.as_slice() {
        [only] => serde_json::from_str(only.get("text")?.as_str()?).ok(),
        _ => None,
    }
}

fn put_text(result: &mut RawObject, text: &str) -> bool {
    let content = json!([{ "type": "text", "text": text }]);
    RawJson::from_value(&content).is_ok_and(|content| {
        result.insert("content", content);
        true
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use mgp_discovery::config::ToolShape;

    fn check(shape: &str, result: &str, expected: Option<&str>) {
        let shape: ToolShape = serde_json::from_str(shape).unwrap();
        let shaped = ShapedTool::new(&RawJson::empty_object(), &shape);
        let (reply, is_changed) = shaped.shape_result(Reply::ok(RawJson::parse(result.to_owned()).unwrap()));
        // The order of members differs between builds.
        let found: Value = reply.result().unwrap().decode().unwrap();
        let expected_value: Value = serde_json::from_str(expected.unwrap_or(result)).unwrap();
        assert_eq!(found, expected_value, "{result}");
        assert_eq!(is_changed, expected.is_some());
    }

    #[test]
    fn the_selected_part_is_the_whole_result() {
        let shape = r#"{"name":"a","result":"items[*].name"}"#;
        let expected =
            r#"{"content":[{"type":"text","text":"[\"x\"]"}],"structuredContent":{"result":["x"]}}"#;
        check(
            shape,
            r#"{"content":[{"type":"text","text":"long"}],"structuredContent":{"items":[{"name":"x","size":1}]}}"#,
            Some(expected),
        );
        check(
            shape,
            r#"{"content":[{"type":"text","text":"{\"items\":[{\"name\":\"x\"}]}"}]}"#,
            Some(expected),
        );
        for unchanged in [
            r#"{"content":[{"type":"text","text":"no JSON"}]}"#,
            r#"{"content":[],"structuredContent":{"other":1}}"#,
            r#"{"content":[],"structuredContent":{"items":[{"name":"x"}]},"isError":true}"#,
        ] {
            check(shape, unchanged, None);
        }
        let shape = r#"{"name":"a","result":"/a"}"#;
        let expected = r#"{"content":[{"type":"text","text":"x"}],"structuredContent":{"result":"x"}}"#;
        check(shape, r#"{"content":[],"structuredContent":{"a":"x"}}"#, Some(expected));
    }

    #[test]
    fn a_long_result_is_cut_off_between_characters() {
        let shape = r#"{"name":"a","max_tokens":1}"#;
        check(shape, r#"{"content":[{"type":"text","text":"four"}]}"#, None);
        check(
            shape,
            r#"{"content":[{"type":"text","text":"abcéf"},{"type":"text","text":"x"}],"structuredContent":{"a":1}}"#,
            Some(
                r#"{"content":[{"text":"abc","type":"text"},{"text":"x","type":"text"},{"text":"[cut off: the first 4 of 7 bytes]","type":"text"}]}"#,
            ),
        );
        check(
            shape,
            r#"{"content":[{"type":"text","text":"a"}],"structuredContent":{"a":"long"}}"#,
            Some(r#"{"content":[{"text":"a","type":"text"}]}"#),
        );
    }
}
