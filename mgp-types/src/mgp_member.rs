//! The `_mgp` member: MGP's metadata about a message, next to the message's own members.
//!
//! The member occurs in params and results, is also read from `_meta.mgp`, and never occurs inside a tool's arguments.
//! These functions read the object's own keys and leave every other member unchanged.

pub use crate::mgp_metadata::{MGP_MEMBER, read, set, strip, unify};

use crate::mcp::Tool;

/// Removes MGP from a tool's definition, for a plain MCP peer.
pub fn strip_tool(tool: &mut Tool) {
    tool.security = None;
    tool.other.remove("security");
    tool.other.remove(MGP_MEMBER);
    if let Some(meta) = &mut tool.meta
        && meta.remove("mgp").is_some()
        && meta.is_empty()
    {
        tool.meta = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_mgp_reaches_a_plain_peer_in_a_tool() {
        let mut tool: Tool = serde_json::from_str(
            r#"{"name":"a","inputSchema":{},"security":{"risk_level":"safe"},"_mgp":1,"_meta":{"mgp":1},"x":2}"#,
        )
        .unwrap();
        strip_tool(&mut tool);
        assert_eq!(serde_json::to_string(&tool).unwrap(), r#"{"name":"a","inputSchema":{},"x":2}"#);
        let mut odd: Tool = serde_json::from_str(r#"{"name":"a","inputSchema":{},"security":[7]}"#).unwrap();
        strip_tool(&mut odd);
        assert_eq!(serde_json::to_string(&odd).unwrap(), r#"{"name":"a","inputSchema":{}}"#);
    }
}
