//! The arguments of a program, made of the arguments of a call.

use mgp_discovery::config::{CommandPart, command_parts};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The longest argument of a program, in bytes.
const MAX_ARGUMENT: usize = 128 * 1024;

/// The elements of `argv` after the program.
#[derive(Debug)]
pub(super) struct CommandLine {
    elements: Vec<Vec<CommandPart>>,
    /// The position of the element `--`, after which programs read no options.
    end_of_options: Option<usize>,
    defaults: BTreeMap<String, Value>,
}

impl CommandLine {
    pub(super) fn new<'a>(
        elements: impl Iterator<Item = &'a str>,
        arguments: &Map<String, Value>,
    ) -> Result<Self, String> {
        let elements: Vec<_> = elements.map(command_parts).collect::<Result<_, _>>()?;
        let is_end = |element: &Vec<CommandPart>| *element == [CommandPart::Text("--".to_owned())];
        let default =
            |(name, schema): (&String, &Value)| Some((name.clone(), schema.get("default")?.clone()));
        Ok(Self {
            end_of_options: elements.iter().position(is_end),
            elements,
            defaults: arguments.iter().filter_map(default).collect(),
        })
    }

    /// Returns the arguments of the program. An element with an argument that is absent is left out.
    ///
    /// # Errors
    /// A sentence that names an argument whose value cannot be passed.
    pub(super) fn fill(&self, arguments: &Map<String, Value>) -> Result<Vec<String>, String> {
        let mut filled = Vec::new();
        for (at, element) in self.elements.iter().enumerate() {
            match element.as_slice() {
                [CommandPart::Argument(name)] => {
                    let is_option_read = self.end_of_options.is_none_or(|end| at < end);
                    for value in self.values(name, arguments)? {
                        if is_option_read && value.starts_with('-') {
                            return Err(format!(
                                "argument `{name}`: got {value:?}, which the program would read as an option, expected a value that does not begin with `-`"
                            ));
                        }
                        filled.push(value);
                    }
                }
                parts => filled.extend(self.joined(parts, arguments)?),
            }
        }
        Ok(filled)
    }

    /// Returns an element with texts and arguments.
    fn joined(
        &self,
        parts: &[CommandPart],
        arguments: &Map<String, Value>,
    ) -> Result<Option<String>, String> {
        let mut whole = String::new();
        for part in parts {
            match part {
                CommandPart::Text(text) => whole.push_str(text),
                CommandPart::Argument(name) => {
                    let values = self.values(name, arguments)?;
                    if values.is_empty() {
                        return Ok(None);
                    }
                    whole.push_str(&values.join(","));
                }
            }
        }
        Ok(Some(whole))
    }

    /// Returns the values of an argument: those of an array, one for any other, none if the argument is absent.
    fn values(&self, name: &str, arguments: &Map<String, Value>) -> Result<Vec<String>, String> {
        let value = arguments.get(name).or_else(|| self.defaults.get(name));
        let values = match value {
            None | Some(Value::Null) => Vec::new(),
            Some(Value::Array(values)) => values.iter().collect(),
            Some(value) => vec![value],
        };
        values.into_iter().map(|value| text(name, value)).collect()
    }
}

fn text(name: &str, value: &Value) -> Result<String, String> {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Number(_) | Value::Bool(_) => value.to_string(),
        Value::Null | Value::Array(_) | Value::Object(_) => {
            return Err(format!("argument `{name}`: expected a text, a number or a boolean"));
        }
    };
    if text.contains('\0') {
        return Err(format!("argument `{name}`: holds a NUL character, which no program can be passed"));
    }
    if text.len() > MAX_ARGUMENT {
        return Err(format!("argument `{name}`: has {} bytes, expected at most {MAX_ARGUMENT}", text.len()));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn fill(argv: &[&str], arguments: &Value) -> Result<Vec<String>, String> {
        let declared = json!({"count": {"type": "integer", "default": 10}});
        let line = CommandLine::new(argv.iter().copied(), declared.as_object().unwrap()).unwrap();
        line.fill(arguments.as_object().unwrap())
    }

    #[test]
    fn each_value_is_one_argument_whatever_it_holds() {
        let nasty = "a b; rm -rf / $(x) `y` \"z\" '|' \n*";
        assert_eq!(fill(&["log", "{path}"], &json!({"path": nasty})), Ok(vec!["log".into(), nasty.into()]));
        assert_eq!(fill(&["--by={who}"], &json!({"who": "-x y"})), Ok(vec!["--by=-x y".into()]));
        assert_eq!(fill(&["-n{count}"], &json!({})), Ok(vec!["-n10".into()]));
        assert_eq!(fill(&["-n{count}"], &json!({"count": 3})), Ok(vec!["-n3".into()]));
        let all = fill(&["--", "{files}"], &json!({"files": ["a", "-b", 7, true]}));
        assert_eq!(all, Ok(vec!["--".into(), "a".into(), "-b".into(), "7".into(), "true".into()]));
    }

    #[test]
    fn an_element_with_an_absent_argument_is_left_out() {
        for argv in [&["x", "--by={who}"][..], &["x", "{who}"], &["x", "{who}{who}"]] {
            assert_eq!(fill(argv, &json!({})), Ok(vec!["x".into()]), "{argv:?}");
            assert_eq!(fill(argv, &json!({"who": null})), Ok(vec!["x".into()]), "{argv:?}");
        }
    }

    #[test]
    fn a_value_never_becomes_an_option() {
        for value in [json!("-x"), json!("--output=/etc/passwd"), json!(-1), json!(["a", "-b"])] {
            let error = fill(&["{path}", "--"], &json!({"path": value})).unwrap_err();
            assert!(error.contains("`path`") && error.contains("as an option"), "{error}");
            assert!(fill(&["--", "{path}"], &json!({"path": value})).is_ok(), "{value}");
        }
    }

    #[test]
    fn values_that_no_program_can_be_passed_are_named() {
        for value in [json!("a\0b"), json!({}), json!([[]]), json!("x".repeat(MAX_ARGUMENT + 1))] {
            let error = fill(&["--", "{path}"], &json!({"path": value})).unwrap_err();
            assert!(error.starts_with("argument `path`"), "{error}");
        }
    }
}
