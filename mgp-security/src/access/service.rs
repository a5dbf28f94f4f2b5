//! The gate of access control.

use super::AccessControl;
use crate::gate::{self, ResponseFuture};
use mgp_transport::seam::{Incoming, RefusalKind, Reply};
use mgp_types::error::ErrorCode;
use std::task::{Context, Poll};
use tower_service::Service;

/// Refuses calls of tools that the caller, or an agent that it acts for, may not use.
#[derive(Debug, Clone)]
pub struct Access<S> {
    pub(super) inner: S,
    pub(super) control: AccessControl,
}

impl AccessControl {
    /// Judges a tool call by the rules of this moment; other messages pass. A refusal is noted in the call's record.
    ///
    /// # Errors
    /// The refusal, if the caller or an agent that it acts for may not use the tool.
    pub fn judge_call(&self, message: &Incoming) -> Result<(), Reply> {
        let Some(call) = gate::tool_call(message) else { return Ok(()) };
        let Err(denial) = self.authorize(call.principal()?, &call.target.tool) else { return Ok(()) };
        let error = ErrorCode::AccessDenied.error(denial.of_call(&call.target.called_as));
        Err(call.refuse_with(RefusalKind::Access, error))
    }
}

impl<S: Service<Incoming, Response = Reply>> Service<Incoming> for Access<S> {
    type Response = Reply;
    type Error = S::Error;
    type Future = ResponseFuture<S::Future, S::Error>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, message: Incoming) -> Self::Future {
        match self.control.judge_call(&message) {
            Ok(()) => ResponseFuture::passing(self.inner.call(message)),
            Err(refusal) => ResponseFuture::refused(refusal),
        }
    }
}
