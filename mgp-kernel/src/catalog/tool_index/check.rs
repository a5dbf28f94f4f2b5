//! Dry runs of the kernel's own tools, without an effect.

use super::{MetaTools, answer::no_creation, session::HostSession};
use crate::{catalog::instructions::Greeter, ground::trace::with_trace};
use mgp_security::audit::{EventDraft, TOOL_CHECKED};
use mgp_toolindex::meta_tools::{MetaRequest, OwnCall};
use mgp_transport::seam::Incoming;
use mgp_types::{
    audit::{AuditEventType, AuditResult},
    context::Principal,
    rpc::ErrorObject,
    tool_index::MetaTool,
};

impl MetaTools {
    /// Answers a dry run of one of the kernel's own tools with the error that the real call would have; `None` if there would be none. The event
    /// is stored before.
    ///
    /// # Errors
    /// The error of a dry run without a known caller.
    pub(crate) async fn check_call(
        &self,
        message: &Incoming,
        tool: MetaTool,
        call: Result<OwnCall, ErrorObject>,
    ) -> Result<Option<ErrorObject>, ErrorObject> {
        let principal = message.caller()?;
        let judged = match call {
            Ok(call) => judge(self, message, &principal, call).await,
            Err(error) => Err(error),
        };
        let trace = message.trace();
        let mut event = EventDraft::new(AuditEventType::from(TOOL_CHECKED), &principal).tool(tool.as_str());
        if let Some(trace) = trace {
            event = event.trace(trace);
        }
        if let Err(error) = &judged {
            event = event.result(AuditResult::Blocked).detail("reason", &*error.message);
        }
        // A judgement that cannot be recorded is not returned; the real call would fail, too.
        let judged = match self.trail.sink.record(event.finish()).await {
            Ok(()) => judged,
            Err(error) => {
                tracing::error!(%error, "a dry run could not be recorded: its answer is withheld");
                Err(error.refusal())
            }
        };
        Ok(judged.err().map(|error| match trace {
            Some(trace) => with_trace(error.with_report(), trace),
            None => error.with_report(),
        }))
    }
}

/// Returns the error that the real call would have.
async fn judge(
    meta: &MetaTools,
    message: &Incoming,
    principal: &Principal,
    call: OwnCall,
) -> Result<(), ErrorObject> {
    let Greeter { servers, tools, .. } = &*meta.greeter;
    let session = HostSession::of(tools, principal, message, call.session)?;
    servers.first_lists().await;
    let caller = &meta.acting_in(principal, session.tools());
    match call.wanted {
        MetaRequest::Discover(params) => tools.discovery.discover(caller, &params).map(drop),
        MetaRequest::Session => Ok(()),
        MetaRequest::Read(request) => meta.reading.check(message, caller, request).await,
        MetaRequest::Evict(params) => tools.sessions.check_evict(caller, &params),
        MetaRequest::Request(params) => {
            tools.requests.check(&params)?;
            match (&params.creation, &meta.creation) {
                (None, _) => Ok(()),
                (Some(_), Some(creation)) => creation.check(message, caller),
                (Some(_), None) => Err(no_creation()),
            }
        }
        MetaRequest::Transaction(request) => meta.transactions.check(message, caller, request).await,
    }
}
