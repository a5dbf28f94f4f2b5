//! The methods other than tool calls: each part of the kernel, and each section, contributes its own.

use super::{
    health::health_for,
    operator::{self, OperatorHandles},
    session_methods::{self, SessionMethods},
    stop_progress::{self, KernelStop},
};
use crate::{
    KernelError,
    catalog::{
        list_tools::{self, OptionalTools},
        openapi,
        tool_index::{self, MetaTools},
    },
    features::{
        audit_forwarding, completion,
        events::{self, HostChannels, KernelEvents},
        forward::Forwarder,
        manifest::{self, ManifestSource},
        prompts::{self, PromptMethods},
        references::References,
        registration,
        resources::{self, ResourceMethods},
        tasks::{self, TaskMethods, TaskTable},
        transactions::{self, TransactionTool},
    },
    ground::{request_head::RequestHead, trail::Trail},
    host::{self, HostDialect, Instructions},
    path::dry_run,
};
use futures_core::future::BoxFuture;
use mgp_lifecycle::health::Health;
use mgp_security::{access::AccessMethods, audit::in_trace, limits::Limits};
use mgp_toolindex::meta_tools::OwnRequest;
use mgp_transport::{
    connection::error_at_edge,
    seam::{BoxError, Incoming, Reply, RouteError, Routes},
};
use mgp_types::{
    mcp::{CallTool, Cancelled, Progress},
    rpc::{Call as _, ErrorObject, JsonRpcCode, Notice as _},
};
use std::sync::Arc;
use tower::service_fn;
use tower_service::Service;

/// The parts of a kernel that have methods.
pub(super) struct MethodParts {
    pub(super) meta: MetaTools,
    pub(super) operator: Arc<OperatorHandles>,
    pub(super) stop: KernelStop,
    pub(super) limits: Limits,
    pub(super) references: Arc<References>,
    pub(super) tasks: Arc<TaskTable>,
    pub(super) events: KernelEvents,
    pub(super) transactions: TransactionTool,
    /// The methods of the program.
    pub(super) own: Routes,
}

/// Returns the service that answers every message other than a call of a server's tool.
pub(super) fn service(
    parts: MethodParts,
) -> Result<
    impl Service<Incoming, Response = Reply, Error = BoxError, Future: Send + 'static>
    + Clone
    + Send
    + Sync
    + 'static,
    KernelError,
> {
    let meta = parts.meta.clone();
    let routes = routes(parts)?;
    Ok(service_fn(move |message| -> BoxFuture<'static, _> {
        let (meta, routes) = (meta.clone(), routes.clone());
        Box::pin(async move { answer_any(&meta, routes, message).await })
    }))
}

/// Returns the methods of every part of the kernel, and those of the program.
fn routes(parts: MethodParts) -> Result<Routes, KernelError> {
    let MethodParts { meta, operator, stop, limits, references, tasks, events, transactions, own } = parts;
    let OperatorHandles { trail, rights, servers, instances, registered, tools, hosts, .. } = &*operator;
    let forwarder =
        Forwarder { servers: servers.clone(), rights: rights.clone(), instances: instances.clone() };
    let manifest = ManifestSource { tools: tools.clone(), limits, quotas: meta.quotas.clone() };
    let channels = HostChannels { servers: servers.clone(), events };
    let optional = OptionalTools {
        transactions: transactions.is_offered,
        reading: references.keeps_long_results(),
        recommends: meta.recommender.is_some(),
    };
    let resources = ResourceMethods {
        forwarder: forwarder.clone(),
        tools: tools.clone(),
        listed: vec![Arc::new(manifest.clone())],
        unlisted: vec![references],
    };
    let session = SessionMethods {
        resources: resources.clone(),
        channels: channels.clone(),
        tasks: tasks.clone(),
        hosts: hosts.clone(),
        trail: trail.clone(),
    };
    let instructions: Arc<dyn Instructions> = meta.greeter.clone();
    let health = health_routes(&operator);
    let of_kernel = host::routes()
        .with_state((hosts.clone(), instructions))
        .merge(session_methods::routes().with_state(Arc::new(session)))
        .merge(list_tools::routes().with_state((
            servers.clone(),
            tools.clone(),
            meta.quotas.clone(),
            optional,
        )))
        .merge(openapi::routes().with_state((servers.clone(), tools.clone())))
        .merge(tool_index::routes().with_state(meta))
        .merge(resources::routes().with_state(resources))
        .merge(
            prompts::routes()
                .with_state(PromptMethods { forwarder: forwarder.clone(), tools: tools.clone() }),
        )
        .merge(completion::routes().with_state(forwarder.clone()))
        .merge(tasks::routes().with_state(TaskMethods { tasks, forwarder }))
        .merge(health)
        .merge(transactions::routes().with_state(transactions.transactions))
        // A host's decision on permissions is acknowledged, but grants nothing: the kernel needs no permissions of
        // its hosts.
        .merge(mgp_server_sdk::permission::routes().with_state(()))
        .merge(stop_progress::routes().with_state(stop))
        .merge(manifest::routes().with_state((servers.clone(), manifest)))
        .merge(registration::routes().with_state(registered.clone()))
        .merge(events::routes().with_state(channels))
        .merge(operator::routes().with_state(operator.clone()))
        .merge(audit_forwarding::routes().with_state(trail.clone()))
        .merge(
            AccessMethods::routes().with_state(AccessMethods::new(rights.access.clone(), trail.sink.clone())),
        );
    let before_routes = [CallTool::METHOD, Cancelled::METHOD, Progress::METHOD];
    // Sorted, so that the same method is named each time.
    let is_own = |method: &&str| own.methods().any(|own| own == *method);
    let taken = of_kernel.methods().chain(before_routes).filter(is_own).min();
    match taken {
        Some(method) => Err(KernelError::Method(method)),
        None => Ok(own.merge(of_kernel)),
    }
}

/// Returns the methods for the kernel's health, which depends on the caller.
fn health_routes(operator: &Arc<OperatorHandles>) -> Routes {
    let kernel = operator.clone();
    Health::routes().map_state(move |(): &(), message| {
        let health = kernel.hosts.health().clone();
        let caller = message.caller()?;
        Ok(health_for(health, &kernel.servers, &kernel.rights, kernel.tools.clone(), &caller))
    })
}

/// Answers a method, or a call of one of the kernel's own tools.
async fn answer_any(meta: &MetaTools, routes: Routes, mut message: Incoming) -> Result<Reply, BoxError> {
    let Some(OwnRequest { dry_run, tool, call }) = OwnRequest::take(&mut message) else {
        return answer(&meta.trail, routes, message).await;
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
async fn answer(trail: &Trail, routes: Routes, message: Incoming) -> Result<Reply, BoxError> {
    let head = RequestHead::of(&message);
    let is_known = message.is_notification() || routes.answers(&message.method);
    // Logs and events of the handler belong to the request's trace.
    let answered = in_trace(head.trace.clone(), routes.answer((), message)).await;
    let reply = match answered {
        Ok(reply) if is_known => reply,
        Ok(reply) => reply.map_error(ErrorObject::with_report),
        Err(RouteError::Refusal { error, .. }) if error.code == i64::from(JsonRpcCode::InternalError) => {
            Reply::error(error)
        }
        Err(RouteError::Refusal { error, subject }) => head.refuse(trail, subject.as_deref(), error).await,
        Err(RouteError::Failure(error)) => Reply::error(error_at_edge(&error).with_report()),
    };
    Ok(head.traced(reply))
}
