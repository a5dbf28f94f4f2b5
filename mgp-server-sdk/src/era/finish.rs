//! Members that are added to the answer of a request of a stateless revision.

use super::layer::Introduction;
use mgp_transport::seam::Reply;
use mgp_types::{
    mcp::{CacheHint, McpErrorCode},
    rpc::{ErrorObject, JsonRpcCode},
};
use std::sync::Arc;

/// The last step for the answer of one request.
#[derive(Debug, Clone)]
pub(super) struct Finish {
    says: Arc<Introduction>,
    hint: Option<CacheHint>,
    mgp: bool,
}

impl Finish {
    /// Creates a `Finish` for a request of a method; `mgp` is true if the request's client also has MGP.
    pub(super) fn new(says: &Arc<Introduction>, method: &str, mgp: bool) -> Self {
        let hint = CacheHint::is_carried_by(method).then_some(says.hint);
        Self { says: says.clone(), hint, mgp }
    }

    pub(super) fn finish(&self, reply: Reply) -> Reply {
        if reply.is_cancelled() {
            // Sent if the client requested it by method.
            let completed = reply.result().map(|partial| self.says.completion.complete(partial, None));
            return completed.map_or(reply, Reply::cancelled);
        }
        match reply.into_outcome() {
            Some(Ok(result)) => Reply::ok(self.says.completion.complete(&result, self.hint)),
            Some(Err(error)) => Reply::exact_error(self.error(error)),
            None => Reply::none(),
        }
    }

    /// Returns the error in the form of the stateless revisions.
    fn error(&self, error: ErrorObject) -> ErrorObject {
        let mut error = if self.mgp { error } else { error.to_plain_mcp() };
        if error.code == i64::from(McpErrorCode::ResourceNotFound) {
            error.code = JsonRpcCode::InvalidParams.into();
        }
        error
    }
}
