//! The audit events of created tools, of their removal, and of rejected code. They contain the hash of the code, never the code itself.

use super::conditions::SUBJECT;
use mgp_security::audit::EventDraft;
use mgp_transport::seam::Incoming;
use mgp_types::{
    audit::{AuditEvent, AuditEventType, AuditResult},
    context::Principal,
    permission::{Permission, PermissionPolicy, StandardPermission},
    rpc::ErrorObject,
    tool_index::ToolCreation,
};
use sha2::{Digest, Sha256};

/// The type of the event of a created tool, or of a failure to create one.
const CREATED: &str = "dev.cloto.mgp.TOOL_CREATED";

/// The type of the event of a removed tool.
const REMOVED: &str = "dev.cloto.mgp.TOOL_REMOVED";

/// The maximum length of a reason in the trail, in characters.
const MAX_REASON: usize = 1000;

/// A request to create a tool, with the fields of its events.
pub(super) struct CreationRecord<'a> {
    pub(super) message: &'a Incoming,
    pub(super) caller: &'a Principal,
    pub(super) creation: &'a ToolCreation,
}

impl CreationRecord<'_> {
    fn draft(&self, event_type: AuditEventType, actor: &Principal) -> EventDraft {
        let hash = mgp_types::hex::encode(Sha256::digest(self.creation.code.as_bytes()));
        let language: String = self.creation.language.chars().take(64).collect();
        let draft = EventDraft::new(event_type, actor)
            .detail("language", &language)
            .detail("code_sha256", &hash)
            .detail("code_bytes", &self.creation.code.len());
        match self.message.trace() {
            Some(trace) => draft.trace(trace),
            None => draft,
        }
    }

    /// Returns the event of the approval of the code by the policy.
    pub(super) fn approved(&self, kernel: &Principal) -> AuditEvent {
        self.draft(AuditEventType::PermissionGranted, kernel)
            .detail("permission", &Permission::Standard(StandardPermission::CodeExecution).as_str())
            .detail("policy", &PermissionPolicy::AutoApprove)
            .detail("agent_id", self.caller.id())
            .detail("subject", SUBJECT)
            .finish()
    }

    /// Returns the event of a created tool.
    pub(super) fn created(&self, server_id: &str, tool_name: &str, function: &str) -> EventDraft {
        let draft = self.draft(CREATED.into(), self.caller).server(server_id).tool(tool_name);
        draft.detail("function", function)
    }

    /// Returns the event of code that is unsafe, or cannot become a tool.
    pub(super) fn rejected(&self, violations: &[String]) -> AuditEvent {
        let draft = self.draft(AuditEventType::CodeRejected, self.caller);
        draft.result(AuditResult::Blocked).detail("violations", violations).finish()
    }

    /// Returns the event of a request that is refused for a reason other than its code.
    pub(super) fn refused(&self, error: &ErrorObject) -> AuditEvent {
        let reason: String = error.message.chars().take(MAX_REASON).collect();
        let draft = self.draft(CREATED.into(), self.caller).result(AuditResult::Blocked);
        draft.detail("code", &error.code).detail("reason", &reason).finish()
    }
}

/// Returns the event of a removed tool.
pub(super) fn removed(kernel: &Principal, server_id: &str, agent_id: &str, reason: &str) -> AuditEvent {
    EventDraft::new(REMOVED.into(), kernel)
        .server(server_id)
        .detail("agent_id", agent_id)
        .detail("reason", reason)
        .finish()
}
