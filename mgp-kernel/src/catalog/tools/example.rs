//! Examples of arguments.

use super::ToolEntry;
use mgp_toolindex::describe::ToolDescription;
use serde_json::Value;
use std::sync::OnceLock;

/// An example of a tool's arguments, generated on first use, because this takes time; `None` if none was found.
#[derive(Debug, Default)]
pub(crate) struct ArgumentExample(OnceLock<Option<Value>>);

impl ToolEntry {
    /// Returns an example of arguments: the server's first one, or else one that matches the input schema. The first use may take
    /// milliseconds.
    pub(crate) fn example(&self) -> Option<&Value> {
        let made = || {
            let description = ToolDescription::of_definition(self.shown_definition()).ok()?;
            description.examples().into_iter().next()?.arguments.to_json().decode().ok()
        };
        self.example.0.get_or_init(made).as_ref()
    }
}
