//! The arguments of a call of a shaped tool.

use super::{ShapedTool, definition::fixed};
use mgp_transport::seam::ToolCall;
use mgp_types::json::{RawJson, RawObject};

/// The detail of a call with the server's own name of a renamed tool.
pub(crate) const OWN_NAME: &str = "own_name";

impl ShapedTool {
    /// Completes a call: adds the fixed arguments and the defaults, and notes the server's own name of the tool. Arguments that are not an
    /// object, or that can be read in two ways, stay as they are, because a gate refuses them.
    pub(crate) fn fill(&self, call: &mut ToolCall) {
        if self.shape.rename.is_some() {
            let own: std::sync::Arc<str> = self.own_name().into();
            call.record.update(|record| record.details.push((OWN_NAME, RawJson::string(self.own_name()))));
            call.options_mut().own_name = Some(own);
        }
        if self.shape.arguments.is_empty() && self.shape.defaults.is_empty() {
            return;
        }
        let arguments = call.arguments().cloned().unwrap_or_else(RawJson::empty_object);
        let Ok(mut arguments) = RawObject::from_json(&arguments) else { return };
        let sent = self.shape.arguments.keys().find(|name| arguments.get(name).is_some());
        if let Some(name) = sent {
            call.options_mut().fixed_argument = Some(name.clone());
        }
        for (name, value) in &self.shape.defaults {
            if arguments.get(name).is_none()
                && let Ok(value) = RawJson::from_value(value)
            {
                arguments.insert_named(name, value);
            }
        }
        let agent = call.principal.id().to_owned();
        for (name, value) in &self.shape.arguments {
            arguments.insert_named(name, fixed(value, &agent));
        }
        let Ok(mut params) = std::mem::take(&mut call.params).into_object() else { return };
        params.insert("arguments", arguments.to_json());
        call.params = params.into();
    }

    /// Returns the arguments of a call without the fixed ones, as the shaped schema describes them.
    pub(crate) fn without_fixed(&self, arguments: &RawJson) -> Option<RawJson> {
        if self.shape.arguments.is_empty() {
            return None;
        }
        let mut arguments = RawObject::from_json(arguments).ok()?;
        for name in self.shape.arguments.keys() {
            arguments.remove(name);
        }
        Some(arguments.to_json())
    }
}
