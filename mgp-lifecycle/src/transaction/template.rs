//! The call that undoes a step, as an operator or a tool declares it.

use mgp_types::{
    json::{RawJson, RawObject},
    rpc::RawResult,
    transaction::Compensation,
};
use serde_json::Value;

/// A declaration of the call that undoes a step. In its arguments, a string `$arguments/POINTER` or `$result/POINTER` stands for a value
/// of the step's arguments or of its structured result (JSON Pointers, RFC 6901); `$$` at the beginning stands for one `$`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompensationTemplate(pub Compensation);

impl CompensationTemplate {
    /// Returns the call that undoes a step with these arguments and this result.
    ///
    /// # Errors
    /// The value that is missing, in one sentence.
    pub fn fill(&self, arguments: Option<&RawJson>, result: &RawResult) -> Result<Compensation, String> {
        let decode = |json: &RawJson| json.decode::<Value>().map_err(|error| error.to_string());
        let mut filled = decode(&self.0.arguments)?;
        let arguments = arguments.map(decode).transpose()?.unwrap_or_default();
        fill(&mut filled, &arguments, &structured(result)?)?;
        let arguments = RawJson::from_value(&filled).map_err(|error| error.to_string())?;
        Ok(Compensation { arguments, ..self.0.clone() })
    }
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

fn fill(value: &mut Value, arguments: &Value, result: &Value) -> Result<(), String> {
    match value {
        Value::Array(items) => items.iter_mut().try_for_each(|item| fill(item, arguments, result)),
        Value::Object(members) => members.values_mut().try_for_each(|item| fill(item, arguments, result)),
        Value::String(text) => {
            let (source, pointer) = match (text.strip_prefix("$arguments"), text.strip_prefix("$result")) {
                (Some(pointer), _) => (arguments, pointer),
                (None, Some(pointer)) => (result, pointer),
                (None, None) => {
                    if let Some(rest) = text.strip_prefix("$$") {
                        *text = format!("${rest}");
                    }
                    return Ok(());
                }
            };
            let found = source.pointer(pointer).cloned();
            *value =
                found.ok_or_else(|| format!("the call that undoes it needs {text}, and there is none"))?;
            Ok(())
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> RawJson {
        RawJson::parse(text.to_owned()).unwrap()
    }

    fn filled(arguments: &str, result: &str) -> Result<String, String> {
        let template = CompensationTemplate(Compensation {
            tool: "undo".into(),
            arguments: json(arguments),
            description: None,
        });
        let filled = template.fill(Some(&json(r#"{"to":"ann","n":[1,2]}"#)), &json(result));
        filled.map(|filled| filled.arguments.as_str().to_owned())
    }

    #[test]
    fn values_come_from_the_arguments_and_the_result() {
        let template = r#"{"a":"$arguments/n/1","b":["$result/issue/id"],"c":"$$result","d":1}"#;
        for result in [
            r#"{"structuredContent":{"issue":{"id":7}}}"#,
            r#"{"content":[{"type":"text","text":"{\"issue\":{\"id\":7}}"}]}"#,
        ] {
            assert_eq!(filled(template, result).unwrap(), r#"{"a":2,"b":[7],"c":"$result","d":1}"#);
        }
        let missing = filled(template, r#"{"content":[{"type":"text","text":"made"}]}"#).unwrap_err();
        assert!(missing.contains("$result/issue/id"), "{missing}");
    }
}
