//! The substitute of a tool.

use crate::catalog::tools::{ToolEntry, Tools};
use mgp_transport::seam::Visibility;
use mgp_types::{
    context::{Principal, ToolId},
    error::{ErrorCategory, ErrorCode, Recovery},
    rpc::{ErrorObject, JsonRpcCode},
};
use std::sync::Arc;

/// The substitute of a tool, with its name for hosts.
pub(super) struct Substitute {
    pub(super) name: Arc<str>,
    pub(super) entry: Arc<ToolEntry>,
}

/// Returns whether a tool may have a substitute: by the configuration, or by an error of its server.
pub(super) fn may_have_one(entry: &ToolEntry) -> bool {
    entry.server.spec.fallbacks.contains_key(&*entry.id.tool_name) || entry.server.speaks_mgp() != Some(false)
}

/// Returns whether fallbacks in errors of the tool's server are used: only if it negotiated MGP.
fn names_one(entry: &ToolEntry) -> bool {
    entry.server.speaks_mgp() == Some(true)
}

impl Substitute {
    /// Returns the substitute for a tool whose call failed: the configured one, or else another tool of the same server that the error
    /// names. `None` if the caller sees no such tool, or if another tool does not help against the error.
    pub(super) fn of(
        tools: &Tools,
        entry: &ToolEntry,
        caller: &Principal,
        error: &ErrorObject,
        advice: Option<&Recovery>,
    ) -> Option<Self> {
        if !helps(error, advice) {
            return None;
        }
        let table = tools.load();
        let found = match entry.server.spec.fallbacks.get(&*entry.id.tool_name) {
            Some(name) => table.resolve(name),
            None => {
                let name = advice?.fallback_tool.as_deref().filter(|_| names_one(entry))?;
                table.entry(&ToolId::new(entry.id.server_id.clone(), name))
            }
        };
        let Some(found) = found else {
            tracing::debug!(tool = %entry.id, "the fallback of the tool does not exist now");
            return None;
        };
        if found.id == entry.id || !tools.offered.view(caller).sees(&found.id) {
            return None;
        }
        let name = table.names.named(&found.id)?.name;
        Some(Self { name, entry: found.clone() })
    }
}

/// Returns whether another tool may help against an error. It does not if the caller's rights or arguments are the problem, or if a tool has
/// done the work, for example with a result that is too long for its host.
fn helps(error: &ErrorObject, advice: Option<&Recovery>) -> bool {
    let details = advice.and_then(|advice| advice.details.as_ref());
    if details.and_then(|details| details.text("outcome")).as_deref() == Some("done") {
        return false;
    }
    let code = ErrorCode::from_code(error.code);
    match advice.map(|advice| advice.category).or(code.map(ErrorCode::category)) {
        Some(ErrorCategory::Security | ErrorCategory::Validation) => false,
        Some(ErrorCategory::Lifecycle | ErrorCategory::Resource | ErrorCategory::External) => true,
        None => ![JsonRpcCode::InvalidParams, JsonRpcCode::InvalidRequest, JsonRpcCode::MethodNotFound]
            .iter()
            .any(|of_the_caller| i64::from(*of_the_caller) == error.code),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mgp_types::json::{RawJson, RawObject};

    #[test]
    fn completed_work_is_not_repeated_with_another_tool() {
        for (outcome, expected) in [(None, true), (Some("unknown"), true), (Some("done"), false)] {
            let details: RawObject =
                outcome.map(|outcome| ("outcome", RawJson::string(outcome))).into_iter().collect();
            for code in [ErrorCode::UpstreamError, ErrorCode::ResourceExhausted] {
                let error = code.error_with("gone", Recovery::of(code).with_details(details.clone()));
                let advice = Recovery::from_error(&error);
                assert_eq!(helps(&error, advice.as_ref()), expected, "{error:?}");
            }
        }
    }
}
