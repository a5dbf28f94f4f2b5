//! The call that undoes a step, as an operator or a tool declares it.

use mgp_transport::seam::ToolCall;
use mgp_types::{
    json::{RawJson, RawObject},
    rpc::RawResult,
    transaction::Compensation,
};
use serde_json::Value;

/// A declaration of the call that undoes a step. In its arguments, a string `$arguments/POINTER` or `$result/POINTER` stands for a value
/// of the step's arguments or of its structured result (JSON Pointers, RFC 6901); a leading `$$` stands for one `$`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompensationTemplate(pub Compensation);

impl CompensationTemplate {
    /// Returns the call that undoes a step with these arguments and this result. Its arguments have at most `most` bytes.
    ///
    /// # Errors
    /// The value that is missing, or the number of bytes, in one sentence.
    pub fn fill(
        &self,
        arguments: Option<&RawJson>,
        result: &RawResult,
        most: usize,
    ) -> Result<Compensation, String> {
        let fits = |json: &RawJson| json.as_bytes().len() <= most;
        if !fits(&self.0.arguments) {
            return Err(too_large(most));
        }
        let decode = |json: &RawJson| json.decode::<Value>().map_err(|error| error.to_string());
        let mut filled = decode(&self.0.arguments)?;
        let arguments = arguments.map(decode).transpose()?.unwrap_or_default();
        let mut values = StepValues { arguments, result: structured(result)?, most, used: 0 };
        values.fill(&mut filled)?;
        let arguments = RawJson::from_value(&filled).map_err(|error| error.to_string())?;
        if !fits(&arguments) {
            return Err(too_large(most));
        }
        Ok(Compensation { arguments, ..self.0.clone() })
    }
}

/// A function that returns the operator's and the tool's declarations of the call that undoes a call.
pub(super) type Templates = dyn Fn(&ToolCall) -> DeclaredCompensations + Send + Sync;

/// The declarations of the call that undoes a call, and the server that they are for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DeclaredCompensations {
    /// The operator's declaration, which takes precedence over the server's answer.
    pub configured: Option<CompensationTemplate>,
    /// True if the tool of the operator's declaration is not shown to the caller.
    pub is_concealed: bool,
    /// The declaration of the tool, used if the server's answer has none.
    pub of_tool: Option<CompensationTemplate>,
    /// A fingerprint of the server's address or command. A step is undone at the server that made it, and at no other server with that name.
    pub endpoint: Option<String>,
}

/// Returns the structured content of a result, or its text if that is JSON.
fn structured(result: &RawResult) -> Result<Value, String> {
    let object = RawObject::from_json(result).map_err(|error| error.to_string())?;
    if let Ok(Some(content)) = object.decode::<Value>("structuredContent") {
        return Ok(content);
    }
    let content: Vec<Value> = object.decode("content").ok().flatten().unwrap_or_default();
    let text = content.iter().find_map(|block| block["text"].as_str());
    Ok(text.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default())
}

fn too_large(most: usize) -> String {
    format!("the arguments of the call that undoes it have more than {most} bytes")
}

/// The values that a declaration may use, and the bytes used so far.
struct StepValues {
    arguments: Value,
    result: Value,
    most: usize,
    used: usize,
}

impl StepValues {
    fn fill(&mut self, value: &mut Value) -> Result<(), String> {
        match value {
            Value::Array(items) => items.iter_mut().try_for_each(|item| self.fill(item)),
            Value::Object(members) => members.values_mut().try_for_each(|item| self.fill(item)),
            Value::String(text) => {
                if let Some(filled) = self.of_text(text)? {
                    *value = filled;
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Returns the value that a text of the declaration stands for, or `None` if the text is literal.
    fn of_text(&mut self, text: &str) -> Result<Option<Value>, String> {
        if let Some(rest) = text.strip_prefix("$$") {
            return Ok(Some(Value::String(format!("${rest}"))));
        }
        let is_pointer = |pointer: &&str| pointer.is_empty() || pointer.starts_with('/');
        let after = |source| text.strip_prefix(source).filter(is_pointer);
        let found = match (after("$arguments"), after("$result")) {
            (Some(pointer), _) => self.arguments.pointer(pointer),
            (None, Some(pointer)) => self.result.pointer(pointer),
            (None, None) => return Ok(None),
        };
        let found =
            found.ok_or_else(|| format!("the call that undoes it needs {text}, and there is none"))?;
        // Counted before it is copied: a declaration may name one large value many times.
        self.used = self.used.saturating_add(found.to_string().len());
        if self.used > self.most { Err(too_large(self.most)) } else { Ok(Some(found.clone())) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> RawJson {
        RawJson::parse(text.to_owned()).unwrap()
    }

    fn filled(arguments: &str, result: &str) -> Result<String, String> {
        let template = CompensationTemplate(Compensation::new("undo").arguments(json(arguments)));
        let filled = template.fill(Some(&json(r#"{"to":"ann","n":[1,2]}"#)), &json(result), 128);
        filled.map(|filled| filled.arguments.as_str().to_owned())
    }

    #[test]
    fn values_come_from_the_arguments_and_the_result() {
        let template =
            r#"{"a":"$arguments/n/1","b":["$result/issue/id"],"c":"$$result","d":1,"e":"$resultset"}"#;
        for result in [
            r#"{"structuredContent":{"issue":{"id":7}}}"#,
            r#"{"content":[{"type":"text","text":"{\"issue\":{\"id\":7}}"}]}"#,
        ] {
            assert_eq!(
                filled(template, result).unwrap(),
                r#"{"a":2,"b":[7],"c":"$result","d":1,"e":"$resultset"}"#
            );
        }
        let missing = filled(template, r#"{"content":[{"type":"text","text":"made"}]}"#).unwrap_err();
        assert!(missing.contains("$result/issue/id"), "{missing}");
    }

    #[test]
    fn the_size_of_a_declaration_is_bounded() {
        let result = format!(r#"{{"structuredContent":{{"text":"{}"}}}}"#, "x".repeat(80));
        assert!(filled(r#"{"a":"$result/text"}"#, &result).is_ok());
        for template in
            [r#"{"a":["$result/text","$result/text"]}"#, &format!(r#"{{"a":"{}"}}"#, "x".repeat(128))]
        {
            assert!(filled(template, &result).unwrap_err().contains("more than 128 bytes"), "{template}");
        }
    }
}
