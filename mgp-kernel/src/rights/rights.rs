//! Judges a call again before it is sent, if it has waited since the gates judged it.

use super::CurrentTools;
use crate::ground::{local::is_local, stopped::StoppedServers, trail::Trail};
use mgp_security::{
    access::{AccessControl, KeyScope},
    definition::Definitions,
    permission::{Confirmations, Permissions},
};
use mgp_transport::seam::{
    Decision, Incoming, Judge, Refusal, RefusalKind, Reply, Session, TokenGrant, ToolCall, Visibility,
};
use mgp_types::{
    error::ErrorCode,
    mcp::{Complete, GetPrompt, ReadResource},
    rpc::Call,
};
use std::sync::{Arc, Weak};

/// The current rules, decisions and definitions.
#[derive(Debug)]
pub(crate) struct Rights {
    pub(crate) access: AccessControl,
    pub(crate) permissions: Permissions,
    /// The questions about calls, and their answers.
    pub(crate) confirmations: Confirmations,
    /// The pins of the tools' definitions.
    pub(crate) definitions: Definitions,
    /// The servers that the operator stopped, whose tools are hidden.
    pub(crate) stopped: StoppedServers,
    /// True if tools are concealed from hosts whose agents may not use them; `None` conceals them from all hosts except the operator's
    /// own.
    pub(crate) conceal: Option<bool>,
    /// The tools of all servers. Weak, because the table holds the servers, and each server holds these rights.
    pub(crate) tools: Weak<dyn CurrentTools>,
    pub(crate) trail: Arc<Trail>,
}

impl Rights {
    /// Returns whether tools that the agent of a session may not use are answered like unknown tools.
    pub(crate) fn conceals_from(&self, session: &Session) -> bool {
        self.conceal.unwrap_or_else(|| !is_local(session))
    }

    /// Judges a request that waited, for an approval, for its turn or for its host's user, by the current rights. Requests that did
    /// not wait pass, because they were judged just now. No request passes while its event could not be stored, or while the store of rights
    /// cannot be asked.
    ///
    /// # Errors
    /// The refusal, which is noted in the record of a call.
    pub(crate) fn judge_again(&self, server_id: &str, message: &Incoming) -> Result<(), Reply> {
        self.trail.sink.admit().map_err(|error| Reply::error(error.refusal()))?;
        self.access.admit().map_err(Reply::error)?;
        let waited = message.has_waited();
        // The context of a call in flight is its message's.
        let granted = message.granted();
        match ToolCall::of(message) {
            Some(call) if waited || call.waited => {
                // So are its params, whose arguments a policy may read.
                let mut call = call.clone();
                call.params = message.params.clone();
                judge_credentials(granted)
                    .and_then(|()| self.judge_call(&call))
                    .map_err(|refusal| refusal.recorded(&call.record))
            }
            None if waited => {
                judge_credentials(granted).map_err(|refusal| refusal.answer)?;
                self.judge_server(server_id, message)
            }
            _ => Ok(()),
        }
    }

    /// Judges a call that waited, by the current rights.
    ///
    /// # Errors
    /// The refusal.
    pub(crate) fn judge_call(&self, call: &ToolCall) -> Result<(), Refusal> {
        let refused =
            |reason: String| Refusal::new(RefusalKind::Permission, ErrorCode::PermissionDenied.error(reason));
        let called_as = &call.target.called_as;
        judge_credentials(call.granted())?;
        let by_key = KeyScope(self.access.clone()).judge(call);
        for decision in [self.access.judge(call), by_key, self.definitions.judge(call)] {
            if let Decision::Refuse(refusal) = decision {
                return Err(refusal);
            }
        }
        self.permissions.judge_again(call)?;
        self.judge_limits(call)?;
        let tools = self.tools.upgrade();
        if tools.is_some_and(|tools| tools.has_profile(&call.target.tool, &call.profile)) {
            return Ok(());
        }
        Err(refused(format!(
            "tool {called_as:?} changed while its call waited: look at what it is and call it again"
        )))
    }

    /// Judges a request that needs a grant of the whole server. Requests about tasks are judged where their task is looked up.
    fn judge_server(&self, server_id: &str, message: &Incoming) -> Result<(), Reply> {
        let needs_server =
            matches!(&*message.method, ReadResource::METHOD | GetPrompt::METHOD | Complete::METHOD);
        let Some(principal) = message.principal().filter(|_| needs_server) else { return Ok(()) };
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

/// Judges the credentials of a request that waited. An API key may have been revoked meanwhile.
fn judge_credentials(granted: Option<&TokenGrant>) -> Result<(), Refusal> {
    let checked = granted.map_or(Ok(()), TokenGrant::check_again);
    checked.map_err(|denied| {
        let reason = format!("{denied} while the request waited: nothing more of it was sent");
        Refusal::new(RefusalKind::Identity, ErrorCode::AuthExpired.error(reason))
    })
}
