//! The methods that run no server's tool: each part of the kernel, and each section, brings its own.

use super::{
    completion, core::Core, forward::RequestHead, health, host, list_tools, prompts, registration, resources,
    stop_progress, tasks, tool_index,
};
use mgp_security::{access::AccessMethods, audit::AuditLog};
use mgp_transport::seam::{BoxError, Incoming, Reply, RouteError, Routes};
use mgp_types::rpc::JsonRpcCode;
use std::sync::Arc;

/// Returns the methods of every part of the kernel.
pub(super) fn routes() -> Routes<Arc<Core>> {
    host::routes()
        .merge(list_tools::routes())
        .merge(tool_index::routes())
        .merge(resources::routes())
        .merge(prompts::routes())
        .merge(completion::routes())
        .merge(tasks::routes())
        .merge(health::routes())
        .merge(stop_progress::routes())
        .merge(registration::routes())
        .merge(AuditLog::routes().map_state(|core: &Arc<Core>, _| Ok(core.audit_log.clone())))
        .merge(
            AccessMethods::routes().map_state(|core: &Arc<Core>, _| {
                Ok(AccessMethods::new(core.access.clone(), core.sink.clone()))
            }),
        )
}

/// Answers a request, or handles a notification. A refusal is recorded before it is answered; a failure is recorded where it happens.
pub(super) async fn answer(core: Arc<Core>, message: Incoming) -> Result<Reply, BoxError> {
    let head = RequestHead::of(&message);
    match core.routes.answer(core.clone(), message).await {
        Ok(reply) => Ok(reply),
        Err(RouteError::Refusal { error, .. }) if error.code == i64::from(JsonRpcCode::InternalError) => {
            Ok(Reply::error(error))
        }
        Err(RouteError::Refusal { error, subject }) => {
            Ok(head.refuse(&core, subject.as_deref(), error).await)
        }
        Err(RouteError::Failure(error)) => Err(error),
    }
}
