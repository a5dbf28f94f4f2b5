//! The rights by which a call is judged once more where it leaves, if it waited since the gates judged it.

use super::tools::ToolTable;
use arc_swap::ArcSwap;
use mgp_security::{
    GateWait, access::AccessControl, audit::AuditSink, permission::Permissions, profile::ToolProfile,
};
use mgp_transport::seam::{CallRecord, Incoming, RefusalKind, Reply};
use mgp_types::{context::Target, error::ErrorCode};
use std::sync::Arc;

/// The rules, decisions and definitions that hold at this moment, shared by every server of a kernel.
#[derive(Clone)]
pub(crate) struct Rights {
    pub(super) access: AccessControl,
    pub(super) permissions: Permissions,
    pub(super) tools: Arc<ArcSwap<ToolTable>>,
    pub(super) sink: Arc<dyn AuditSink>,
}

impl Rights {
    /// Judges a call that waited, for an approval or for its turn, by what holds at this moment. Calls that did not wait pass: they
    /// were judged just now. No call passes while its event could not be stored.
    ///
    /// # Errors
    /// The refusal, which is noted in the call's record.
    pub(super) fn judge_again(&self, message: &Incoming) -> Result<(), Reply> {
        self.sink.admit().map_err(|error| Reply::error(error.refusal()))?;
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
            "tool {:?} changed while its call waited: look at what it is and call it again",
            target.called_as
        );
        if let Some(record) = message.ext.get::<CallRecord>() {
            record.refuse(RefusalKind::Permission, reason.as_str());
        }
        Err(Reply::error(ErrorCode::PermissionDenied.error(reason)))
    }
}
