//! The gate of the scopes of API keys.

use super::{Abilities, ToolScopes};
use crate::access::AccessControl;
use mgp_transport::seam::{Decision, Judge, Refusal, RefusalKind, ToolCall};
use mgp_types::{
    context::KeyScopes,
    error::{ErrorCode, Recovery},
    json::{RawJson, RawObject},
    rpc::ErrorObject,
};

/// The gate that refuses calls of tools that the scopes of the caller's API key do not allow. A caller without scopes passes.
///
/// It comes after access control, so that it reveals nothing about tools that the agent may not see.
#[derive(Debug, Clone)]
pub struct KeyScope(pub AccessControl);

impl Judge for KeyScope {
    fn judge(&self, call: &ToolCall) -> Decision {
        let Some(key) = call.principal.key_scopes() else { return Decision::Allow };
        let (scopes, tool) = (ToolScopes::of(key), &call.target.tool);
        if scopes.allow(tool, || self.0.snapshot().reads_only(tool, Some(&call.profile))) {
            return Decision::Allow;
        }
        Refusal::new(RefusalKind::Access, refused(call, key, scopes.mentions(tool))).into()
    }
}

/// Returns the error of a call. `may_read` is true if a scope allows the tool only for reading.
fn refused(call: &ToolCall, key: &KeyScopes, may_read: bool) -> ErrorObject {
    let (tool, called_as) = (&call.target.tool, &call.target.called_as);
    let full = format!("{}__{}", tool.server_id, tool.tool_name);
    let cannot = if may_read { "write with" } else { "use" };
    let message = format!(
        "the API key {:?} does not allow tool {called_as:?}: it can {}; it cannot {cannot} {full}",
        key.key(),
        Abilities(key)
    );
    let list = |scopes: &[&str]| RawJson::from_value(&scopes).unwrap_or_else(|_| RawJson::empty_object());
    let mut details = RawObject::new();
    details.insert("key", RawJson::string(key.key()));
    details.insert("scopes_held", list(&key.iter().collect::<Vec<_>>()));
    details.insert("missing_scopes", list(&[&full]));
    ErrorCode::AccessDenied.error_with(message, Recovery::of(ErrorCode::AccessDenied).with_details(details))
}
