//! `servers[].commands`: commands that are tools.

use super::text::Text;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A command that is a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(transform = super::annotate::ordered::<Self>))]
#[serde(deny_unknown_fields)]
pub struct CommandTool {
    /// The name of the tool. Unique among the server's commands.
    pub name: String,
    /// The description that models read.
    pub description: String,
    /// The program and its arguments, in which `{NAME}` stands for an argument of the call. No shell reads them.
    pub argv: Vec<Text>,
    /// The arguments of the tool, each by its JSON Schema. One with a `default` is optional, and so is one with `optional = true`.
    #[serde(default)]
    pub arguments: Map<String, Value>,
    /// True if the command changes nothing; false if it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_only: Option<bool>,
    /// The time limit of one run, in milliseconds.
    #[serde(default = "timeout_ms")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 3_600_000)))]
    pub timeout_ms: u64,
    /// The longest output, in bytes. A command that writes more is killed.
    #[serde(default = "max_output_bytes")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 16_777_216)))]
    pub max_output_bytes: u64,
}

fn timeout_ms() -> u64 {
    30_000
}

fn max_output_bytes() -> u64 {
    1_048_576
}

/// A part of an element of `argv`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommandPart {
    /// A text as it is.
    Text(String),
    /// The value of an argument.
    Argument(String),
}

/// Splits an element of `argv` into its parts. `{{` and `}}` are braces.
///
/// # Errors
/// A sentence with the fault of the element.
pub fn command_parts(element: &str) -> Result<Vec<CommandPart>, String> {
    let mut parts = Vec::new();
    let mut text = String::new();
    let mut rest = element;
    while let Some(at) = rest.find(['{', '}']) {
        let (before, after) = rest.split_at(at);
        text.push_str(before);
        if let Some(doubled) = after.strip_prefix("{{").or_else(|| after.strip_prefix("}}")) {
            text.extend(after.chars().next());
            rest = doubled;
            continue;
        }
        let name = after.strip_prefix('{').and_then(|after| after.split_once('}'));
        let Some((name, following)) = name.filter(|(name, _)| !name.is_empty() && !name.contains('{')) else {
            return Err(format!(
                "{element:?} has a single brace: expected {{NAME}}, or {{{{ and }}}} for braces"
            ));
        };
        if !text.is_empty() {
            parts.push(CommandPart::Text(std::mem::take(&mut text)));
        }
        parts.push(CommandPart::Argument(name.to_owned()));
        rest = following;
    }
    text.push_str(rest);
    if !text.is_empty() || parts.is_empty() {
        parts.push(CommandPart::Text(text));
    }
    Ok(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_element_has_texts_and_arguments() {
        let text = |text: &str| CommandPart::Text(text.to_owned());
        let argument = |name: &str| CommandPart::Argument(name.to_owned());
        for (element, expected) in [
            ("", vec![text("")]),
            ("log", vec![text("log")]),
            ("{path}", vec![argument("path")]),
            ("--by={who}!", vec![text("--by="), argument("who"), text("!")]),
            ("{a}{b}", vec![argument("a"), argument("b")]),
            ("{{{a}}}", vec![text("{"), argument("a"), text("}")]),
            ("stash@{{0}}", vec![text("stash@{0}")]),
        ] {
            assert_eq!(command_parts(element), Ok(expected), "{element}");
        }
        for element in ["{", "}", "{}", "{a", "a}", "{{a}", "{a{b}}"] {
            assert!(command_parts(element).is_err(), "{element}");
        }
    }
}
