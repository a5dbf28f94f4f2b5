//! Judges a call once more before it is sent, if it has waited since the gates judged it.

use super::tools::ToolTable;
use arc_swap::ArcSwap;
use mgp_security::{
    GateWait, access::AccessControl, audit::AuditSink, permission::Permissions, profile::ToolProfile,
};
use mgp_transport::seam::{CallRecord, Incoming, RefusalKind, Reply, Visibility};
use mgp_types::{
    context::{Principal, Target},
    error::ErrorCode,
    mcp::{Complete, GetPrompt, ReadResource},
    rpc::Call,
};
use std::sync::{Arc, Weak};

/// The rules, decisions and definitions that hold at this moment, shared by every server of a kernel.
#[derive(Clone)]
pub(crate) struct Rights {
    pub(super) access: AccessControl,
    pub(super) permissions: Permissions,
    /// The tools of all servers. Weak, because the table holds the servers, and each server holds these rights.
    pub(super) tools: Weak<ArcSwap<ToolTable>>,
    pub(super) sink: Arc<dyn AuditSink>,
}

impl Rights {
    /// Judges a request that bears the mark of a wait, for an approval, for its turn or for its host's user, by the rights at this
    /// moment. Requests that did not wait pass, because they were judged just now. No request passes while its event could not be stored.
    ///
    /// # Errors
    /// The refusal, which is noted in the record of a call.
    pub(super) fn judge_again(&self, server_id: &str, message: &Incoming) -> Result<(), Reply> {
        self.sink.admit().map_err(|error| Reply::error(error.refusal()))?;
        if message.ext.get::<GateWait>().is_none() {
            return Ok(());
        }
        self.access.judge_call(message)?;
        self.permissions.judge_call(message)?;
        let Some(target) = message.ext.get::<Target>() else { return self.judge_server(server_id, message) };
        let (tools, judged) = (self.tools.upgrade(), message.ext.get::<Arc<ToolProfile>>());
        let is_same =
            |tools: &ToolTable| tools.entry(&target.tool).is_some_and(|entry| judged == Some(&entry.profile));
        if tools.is_some_and(|tools| is_same(&tools.load())) {
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

    /// Judges a request for what needs a grant of the whole server. Requests about tasks are judged where their task is looked up.
    fn judge_server(&self, server_id: &str, message: &Incoming) -> Result<(), Reply> {
        let needs_server =
            matches!(&*message.method, ReadResource::METHOD | GetPrompt::METHOD | Complete::METHOD);
        let Some(principal) = message.ext.get::<Principal>().filter(|_| needs_server) else { return Ok(()) };
        if self.access.view(principal).sees_server(server_id) {
            return Ok(());
        }
        let reason = format!(
            "agent {:?} lost the right to use server {server_id:?} while its request waited: nothing more of it was sent",
            principal.id()
        );
        Err(Reply::error(ErrorCode::AccessDenied.error(reason)))
    }
}
