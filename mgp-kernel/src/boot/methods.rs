//! The methods other than tool calls: each part of the kernel, and each section, contributes its own.

use super::{core::Core, health::health_for, operator, session_methods, stop_progress};
use crate::{
    catalog::{
        list_tools::{self, OptionalTools},
        openapi,
        tool_index::{self, MetaTools},
    },
    features::{
        audit_forwarding, completion, events, manifest,
        prompts::{self, PromptMethods},
        registration, resources,
        tasks::{self, TaskMethods},
        transactions,
    },
    ground::request_head::RequestHead,
    host::{self, HostDialect, Instructions},
    path::dry_run,
};
use futures_core::future::BoxFuture;
use mgp_lifecycle::health::Health;
use mgp_security::{access::AccessMethods, audit::in_trace};
use mgp_toolindex::meta_tools::OwnRequest;
use mgp_transport::{
    connection::error_at_edge,
    seam::{BoxError, Incoming, Reply, RouteError, Routes},
};
use mgp_types::rpc::{ErrorObject, JsonRpcCode};
use std::sync::Arc;
use tower::service_fn;
use tower_service::Service;

/// Returns the service that answers every message other than a call of a server's tool. `own` are the methods of the program.
pub(super) fn service(
    core: Arc<Core>,
    own: Routes<Arc<Core>>,
) -> impl Service<Incoming, Response = Reply, Error = BoxError, Future: Send + 'static>
+ Clone
+ Send
+ Sync
+ 'static {
    let meta = core.meta_tools();
    let routes = own.merge(routes(meta.clone()));
    service_fn(move |message| -> BoxFuture<'static, _> {
        let (core, meta, routes) = (core.clone(), meta.clone(), routes.clone());
        Box::pin(async move { answer_any(core, &meta, routes, message).await })
    })
}

/// Returns the methods of every part of the kernel.
fn routes(meta: MetaTools) -> Routes<Arc<Core>> {
    host::routes()
        .map_state(|core: &Arc<Core>, _| {
            let instructions: Arc<dyn Instructions> = core.greeter.clone();
            Ok((core.hosts.clone(), instructions))
        })
        .merge(session_methods::routes())
        .merge(list_tools::routes().map_state(|core: &Arc<Core>, _| {
            let optional = OptionalTools {
                transactions: core.transactions.is_offered,
                reading: core.references.keeps_long_results(),
                recommends: core.recommender.is_some(),
            };
            Ok((core.servers.clone(), core.tools.clone(), core.quotas.clone(), optional))
        }))
        .merge(
            openapi::routes().map_state(|core: &Arc<Core>, _| Ok((core.servers.clone(), core.tools.clone()))),
        )
        .merge(tool_index::routes().with_state(meta))
        .merge(resources::routes().map_state(|core: &Arc<Core>, _| Ok(core.resource_methods())))
        .merge(prompts::routes().map_state(|core: &Arc<Core>, _| {
            Ok(PromptMethods { forwarder: core.forwarder(), tools: core.tools.clone() })
        }))
        .merge(completion::routes().map_state(|core: &Arc<Core>, _| Ok(core.forwarder())))
        .merge(tasks::routes().map_state(|core: &Arc<Core>, _| {
            Ok(TaskMethods { tasks: core.tasks.clone(), forwarder: core.forwarder() })
        }))
        .merge(Health::routes().map_state(|core: &Arc<Core>, message| {
            let health = core.hosts.health().clone();
            let caller = message.caller()?;
            Ok(health_for(health, &core.servers, &core.rights, core.tools.clone(), &caller))
        }))
        .merge(
            transactions::routes()
                .map_state(|core: &Arc<Core>, _| Ok(core.transactions.transactions.clone())),
        )
        // A host's decision on permissions is acknowledged, but grants nothing: the kernel needs no permissions of
        // its hosts.
        .merge(mgp_server_sdk::permission::routes().with_state(()))
        .merge(stop_progress::routes())
        .merge(
            manifest::routes()
                .map_state(|core: &Arc<Core>, _| Ok((core.servers.clone(), core.manifest_source()))),
        )
        .merge(registration::routes().map_state(|core: &Arc<Core>, _| Ok(core.registered.clone())))
        .merge(events::routes().map_state(|core: &Arc<Core>, _| Ok(core.channels())))
        .merge(operator::routes())
        .merge(audit_forwarding::routes().map_state(|core: &Arc<Core>, _| Ok(core.trail.clone())))
        .merge(AccessMethods::routes().map_state(|core: &Arc<Core>, _| {
            Ok(AccessMethods::new(core.rights.access.clone(), core.trail.sink.clone()))
        }))
}

/// Answers a method, or a call of one of the kernel's own tools.
async fn answer_any(
    core: Arc<Core>,
    meta: &MetaTools,
    routes: Routes<Arc<Core>>,
    mut message: Incoming,
) -> Result<Reply, BoxError> {
    let Some(OwnRequest { dry_run, tool, call }) = OwnRequest::take(&mut message) else {
        return answer(core, routes, message).await;
    };
    Ok(match (dry_run, call) {
        (Some(form), call) => match meta.check_call(&message, tool, call).await {
            Ok(error) => dry_run::own_tool(form, HostDialect::of(message.session()), error),
            Err(error) => Reply::error(error),
        },
        (None, Ok(call)) => meta.answer_call(&message, call).await,
        (None, Err(error)) => Reply::error(error),
    })
}

/// Answers a request, or handles a notification. A refusal is recorded before it is answered; a failure is recorded where it happens. Every error
/// contains the trace of its request.
async fn answer(core: Arc<Core>, routes: Routes<Arc<Core>>, message: Incoming) -> Result<Reply, BoxError> {
    let head = RequestHead::of(&message);
    let is_known = message.is_notification() || routes.answers(&message.method);
    // Logs and events of the handler belong to the request's trace.
    let answered = in_trace(head.trace.clone(), routes.answer(core.clone(), message)).await;
    let reply = match answered {
        Ok(reply) if is_known => reply,
        Ok(reply) => reply.map_error(ErrorObject::with_report),
        Err(RouteError::Refusal { error, .. }) if error.code == i64::from(JsonRpcCode::InternalError) => {
            Reply::error(error)
        }
        Err(RouteError::Refusal { error, subject }) => {
            head.refuse(&core.trail, subject.as_deref(), error).await
        }
        Err(RouteError::Failure(error)) => Reply::error(error_at_edge(&error).with_report()),
    };
    Ok(head.traced(reply))
}
