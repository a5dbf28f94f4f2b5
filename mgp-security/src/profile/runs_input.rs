//! Tools that run their input.

use super::{Leaves, ToolProfile, fallback::Guess};
use mgp_types::{
    json::{RawJson, RawObject},
    tool_security::ValidatorName,
};

/// Returns whether a tool runs commands or code from the arguments of its calls, according to its profile and its definition.
///
/// A tool without a validator does not count: an operator sets `none` for a tool that only seems to run its input.
///
/// ```
/// use mgp_security::profile::{ConfiguredTool, ToolFacts, assess, runs_input};
/// use mgp_types::{context::TrustLevel, json::RawJson, mcp::Tool};
///
/// let definition = RawJson::parse(r#"{"name":"x","inputSchema":{"properties":{"command":{"type":"string"}}}}"#)?;
/// let tool: Tool = definition.decode()?;
/// let profile = assess(&ToolFacts::new(&tool, TrustLevel::Standard, &[], &ConfiguredTool::default()));
/// assert!(runs_input(&profile, &definition));
/// # Ok::<(), mgp_types::json::JsonError>(())
/// ```
#[must_use]
pub fn runs_input(profile: &ToolProfile, definition: &RawJson) -> bool {
    let reads_programs =
        |name: &ValidatorName| matches!(name, ValidatorName::Sandbox | ValidatorName::CodeSafety);
    if profile.validators.iter().any(reads_programs) {
        return profile.takes_commands || profile.leaves != Leaves::All;
    }
    // A validator that the operator set instead of the guessed one does not change the tool's behavior.
    !profile.validators.is_empty() && is_guessed(definition)
}

/// Returns whether a definition suggests that the tool's arguments hold a command or a program.
fn is_guessed(definition: &RawJson) -> bool {
    let Ok(members) = RawObject::from_json(definition) else { return false };
    let name = members.text("name").unwrap_or_default();
    let description = members.text("description");
    Guess::of(&name, description.as_deref(), members.get("inputSchema")).validator.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{ConfiguredTool, ToolFacts, assess};
    use mgp_types::{context::TrustLevel, mcp::Tool};

    fn runs(definition: &str, configured: &ConfiguredTool) -> bool {
        let definition = RawJson::parse(definition.to_owned()).unwrap();
        let tool: Tool = definition.decode().unwrap();
        runs_input(&assess(&ToolFacts::new(&tool, TrustLevel::Standard, &[], configured)), &definition)
    }

    #[test]
    fn a_tool_runs_its_input_by_definition_or_configuration() {
        let shell = r#"{"name":"x","inputSchema":{"properties":{"command":{"type":"string"}}}}"#;
        let python = r#"{"name":"run_python","inputSchema":{"properties":{"code":{"type":"string"}}}}"#;
        let query = r#"{"name":"execute_query","inputSchema":{"properties":{"sql":{"type":"string"}}}}"#;
        let note = r#"{"name":"add_note","inputSchema":{"properties":{"text":{"type":"string"}}}}"#;
        let set = |validator| ConfiguredTool { validator: Some(validator), ..Default::default() };
        let of_server = |validator| ConfiguredTool { validator_of_server: true, ..set(validator) };
        let unset = ConfiguredTool::default();
        let pointed = ConfiguredTool { pointers: vec!["/text".into()], ..of_server(ValidatorName::Sandbox) };
        for (definition, configured, expected) in [
            (shell, &unset, true),
            (python, &unset, true),
            (query, &unset, false),
            (note, &unset, false),
            (note, &set(ValidatorName::Sandbox), true),
            (note, &of_server(ValidatorName::Sandbox), false),
            (note, &pointed, true),
            // The operator's other validator reads the calls of a tool that runs commands all the same.
            (shell, &set(ValidatorName::Readonly), true),
            (shell, &of_server(ValidatorName::NetworkRestricted), true),
            (query, &set(ValidatorName::Readonly), false),
            (shell, &set(ValidatorName::None), false),
        ] {
            assert_eq!(runs(definition, configured), expected, "{definition} {configured:?}");
        }
    }
}
