//! The part of a request for tools that creates one (§16.6).

use super::{ToolCreator, rejection_text};
use crate::catalog::tool_index::{ToolCreation, with_security};
use async_trait::async_trait;
use mgp_toolindex::{
    request::{RequestOutcome, shown},
    session::ToolSession,
};
use mgp_transport::seam::Incoming;
use mgp_types::{
    context::Principal,
    error::ErrorCode,
    rpc::ErrorObject,
    tool_index::{RequestStatus, RequestToolsParams, RequestToolsResult, ToolIndexNotes},
};
use std::sync::Arc;

#[async_trait]
impl ToolCreation for Arc<ToolCreator> {
    fn is_on(&self) -> bool {
        !self.creation.settings.agents.is_empty()
    }

    async fn create(
        &self,
        message: &Incoming,
        principal: &Principal,
        tools: &ToolSession,
        params: &RequestToolsParams,
        answered: &mut RequestOutcome,
    ) -> Result<bool, ErrorObject> {
        let result = &mut answered.result;
        let is_unserved = result.status == RequestStatus::Unavailable;
        match &params.creation {
            None if is_unserved && self.may_create(message, principal).is_ok() => {
                result.status = RequestStatus::Creating;
                result.notes.get_or_insert_default().creation = Some(self.creation.terms(tools.tag()));
                Ok(false)
            }
            None => Ok(false),
            Some(_) if !is_unserved => {
                let hint = "no tool was made of the code: existing tools have some of the capabilities, or wait for an approval";
                result.notes.get_or_insert_default().hints.push(hint.to_owned());
                Ok(false)
            }
            Some(code) => {
                let made = self.create_tool(message, principal, tools, (params, code)).await?;
                // Without room in the budget, the tool can still be called, and its session is kept for it.
                let _ = tools.touch(made.tool.id());
                let loaded = self.set.tools.sessions.load(
                    principal,
                    tools,
                    vec![made.clone()],
                    with_security(message),
                );
                *result = RequestToolsResult {
                    status: RequestStatus::Fulfilled,
                    tools_loaded: vec![shown(&made)],
                    tools_unavailable: Vec::new(),
                    session_tools_count: loaded.count,
                    context_tokens_added: self
                        .set
                        .tools
                        .sessions
                        .budget()
                        .tokens(&made, with_security(message)),
                    recommendations: Vec::new(),
                    notes: ToolIndexNotes { cut: loaded.cut, ..ToolIndexNotes::default() }.some(),
                };
                answered.changed = true;
                Ok(true)
            }
        }
    }

    fn check(&self, message: &Incoming, principal: &Principal) -> Result<(), ErrorObject> {
        let checked = self.may_create(message, principal);
        checked.map_err(|reason| ErrorCode::PermissionDenied.error(reason))
    }

    fn rejection_text(&self, error: &ErrorObject) -> Option<String> {
        rejection_text(error)
    }
}
