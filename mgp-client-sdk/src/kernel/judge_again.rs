//! Judges a call that has waited once more, by what holds when it leaves.

use super::core::Core;
use mgp_security::{GateWait, profile::ToolProfile};
use mgp_transport::seam::{CallRecord, Incoming, RefusalKind, Reply};
use mgp_types::{context::Target, error::ErrorCode};
use std::sync::Arc;

impl Core {
    /// Judges a call that waited at a gate by the rules, the decisions and the tool's definition of this moment. Calls that did not
    /// wait pass: they were judged just now.
    ///
    /// # Errors
    /// The refusal, which is noted in the call's record.
    pub(super) fn judge_again(&self, message: &Incoming) -> Result<(), Reply> {
        if message.ext.get::<GateWait>().is_none() {
            return Ok(());
        }
        self.access.judge_call(message)?;
        self.permissions.judge_call(message)?;
        let Some(target) = message.ext.get::<Target>() else { return Ok(()) };
        let (tools, judged) = (self.tools.load(), message.ext.get::<Arc<ToolProfile>>());
        if tools.entry(&target.tool).is_some_and(|entry| judged == Some(&entry.profile)) {
            return Ok(());
        }
        let reason = format!(
            "tool {:?} changed while its call waited for an approval: look at what it is and call it again",
            target.called_as
        );
        if let Some(record) = message.ext.get::<CallRecord>() {
            record.refuse(RefusalKind::Permission, reason.as_str());
        }
        Err(Reply::error(ErrorCode::PermissionDenied.error(reason)))
    }
}
