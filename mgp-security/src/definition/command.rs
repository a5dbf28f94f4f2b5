//! The commands by which an operator decides on a pin.

use crate::command::command_word;
use mgp_types::context::ToolId;

/// Returns the subcommand of `mgp tools` for a tool.
pub(super) fn command(subcommand: &str, tool: &ToolId) -> String {
    format!("mgp tools {subcommand} {} {}", command_word(&tool.server_id), command_word(&tool.tool_name))
}
