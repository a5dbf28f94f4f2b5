//! The gate of scopes.

use crate::gate::{self, ResponseFuture};
use mgp_transport::seam::{Denied, Granted, Incoming, RefusalKind, Reply};
use mgp_types::error::ErrorCode;
use std::task::{Context, Poll};
use tower_service::Service;

/// Refuses calls of tools that the caller's token does not allow. A caller without a token passes.
#[derive(Debug, Clone)]
pub struct Scope<S> {
    pub(super) inner: S,
}

fn judge(message: &Incoming) -> Result<(), Reply> {
    let (Some(call), Some(granted)) = (gate::tool_call(message), message.ext.get::<Granted>()) else {
        return Ok(());
    };
    let tool = &call.target.tool;
    let full = format!("{}__{}", tool.server_id, tool.tool_name);
    for name in [&*tool.tool_name, &full, &*call.target.called_as] {
        if let Err(denied) = granted.check("tools/call", Some(name)) {
            let message = match &denied {
                Denied::InsufficientScope { scopes, .. } => {
                    format!(
                        "the token does not allow tool {:?}: expected the scopes {scopes}",
                        call.target.called_as
                    )
                }
                other => other.to_string(),
            };
            return Err(call.refuse_with(RefusalKind::Access, ErrorCode::AccessDenied.error(message)));
        }
    }
    Ok(())
}

impl<S: Service<Incoming, Response = Reply>> Service<Incoming> for Scope<S> {
    type Response = Reply;
    type Error = S::Error;
    type Future = ResponseFuture<S::Future, S::Error>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, message: Incoming) -> Self::Future {
        match judge(&message) {
            Ok(()) => ResponseFuture::passing(self.inner.call(message)),
            Err(refusal) => ResponseFuture::refused(refusal),
        }
    }
}
