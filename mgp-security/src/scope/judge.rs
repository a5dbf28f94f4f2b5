//! The gate of scopes.

use mgp_transport::seam::{CredentialError, Decision, Judge, Refusal, RefusalKind, ToolCall};
use mgp_types::error::ErrorCode;

/// The gate that refuses calls of tools that the caller's token does not allow. A caller without a token passes.
#[derive(Debug, Clone, Copy, Default)]
pub struct Scope;

impl Judge for Scope {
    fn judge(&self, call: &ToolCall) -> Decision {
        let Some(granted) = call.granted() else { return Decision::Allow };
        let (tool, called_as) = (&call.target.tool, &call.target.called_as);
        let full = format!("{}__{}", tool.server_id, tool.tool_name);
        for name in [&*tool.tool_name, &full, &**called_as] {
            if let Err(denied) = granted.check("tools/call", Some(name)) {
                let message = match &denied {
                    CredentialError::InsufficientScope { scopes, .. } => {
                        format!("the token does not allow tool {called_as:?}: expected the scopes {scopes}")
                    }
                    other => other.to_string(),
                };
                return Refusal::new(RefusalKind::Access, ErrorCode::AccessDenied.error(message)).into();
            }
        }
        Decision::Allow
    }
}
