//! The gate of pinned definitions.

use super::{Definitions, command::command, pins::Pin};
use crate::command::command_word;
use mgp_transport::seam::{Decision, Judge, Refusal, RefusalKind, ToolCall};
use mgp_types::{
    context::ToolId,
    error::ErrorCode,
    tool_security::{DefinitionHash, OnChange},
};

/// The status of a tool's definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DefinitionStanding {
    /// The definition is the pinned one, or pins do not apply.
    Accepted,
    /// The definition is not the pinned one, and the tool stays usable.
    Changed,
    /// The tool is withheld.
    Held(HoldReason),
}

/// The reason for which a tool is withheld.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HoldReason {
    /// The definition is not the pinned one.
    Changed,
    /// The pin cannot be read.
    Unreadable,
    /// The definition could not be pinned, so a change could not be detected.
    NotPinned,
}

impl HoldReason {
    /// Returns the message that states why a tool is withheld, and which command resolves that.
    #[must_use]
    pub fn sentence(self, tool: &ToolId) -> String {
        let named = format!("tool {:?} of server {:?}", &*tool.tool_name, &*tool.server_id);
        match self {
            Self::Changed => format!(
                "the definition of {named} changed since it was accepted: `{}` shows what changed, and the command that accepts it",
                command("diff", tool)
            ),
            Self::Unreadable => format!(
                "the pinned definition of {named} cannot be read: `{}` has it pinned anew, as the server lists it then",
                command("forget", tool)
            ),
            Self::NotPinned => format!(
                "the definition of {named} could not be pinned: the kernel's log says why; if too many tools of this server are pinned, \
                 `mgp tools forget {}` makes room",
                command_word(&tool.server_id)
            ),
        }
    }
}

impl Definitions {
    /// Returns the status of a definition that a server lists for one of its tools.
    #[must_use]
    pub fn standing(&self, tool: &ToolId, definition: DefinitionHash) -> DefinitionStanding {
        let changed = |reason| match self.on_change(&tool.server_id) {
            OnChange::Allow => DefinitionStanding::Accepted,
            OnChange::Warn => DefinitionStanding::Changed,
            OnChange::Hold => DefinitionStanding::Held(reason),
        };
        match self.pin_of(tool) {
            Some(Pin::Unreadable) => DefinitionStanding::Held(HoldReason::Unreadable),
            Some(Pin::Read { accepted, .. }) if accepted == definition => DefinitionStanding::Accepted,
            Some(Pin::Read { .. }) => changed(HoldReason::Changed),
            None => changed(HoldReason::NotPinned),
        }
    }

    /// Returns whether a tool with this definition may be shown and called.
    #[must_use]
    pub fn is_open(&self, tool: &ToolId, definition: DefinitionHash) -> bool {
        !matches!(self.standing(tool, definition), DefinitionStanding::Held(_))
    }
}

/// Refuses calls of tools that are withheld.
impl Judge for Definitions {
    fn judge(&self, call: &ToolCall) -> Decision {
        let tool = &call.target.tool;
        match self.standing(tool, call.profile.definition) {
            DefinitionStanding::Held(reason) => {
                let error = ErrorCode::PermissionDenied.error(reason.sentence(tool));
                Refusal::new(RefusalKind::Permission, error).into()
            }
            _ => Decision::Allow,
        }
    }
}
