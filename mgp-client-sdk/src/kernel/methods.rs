//! Answers every method that runs no server's tool.

use super::{
    completion, core::Core, forward, host::HostDialect, instructions::instructions, list_tools::list_tools,
    prompts, registration::Registering, resources, stopping, tasks, tool_index,
};
use futures_util::future::join_all;
use mgp_discovery::{config::HostFeature, registry::RegistryMethods};
use mgp_lifecycle::health::{Health, HealthService, ToolCounts};
use mgp_security::access::AccessMethods;
use mgp_server_sdk::{era, handshake::Handshake, logging, notify};
use mgp_transport::seam::{BoxError, Incoming, Reply, Visibility};
use mgp_types::{
    audit::ReplayAudit,
    context::Principal,
    discovery::ListServers,
    error::ErrorCode,
    json::RawJson,
    lifecycle::{CheckHealth, Shutdown},
    mcp::{
        Complete, GetPrompt, Initialize, Initialized, ListPrompts, ListResourceTemplates, ListResources,
        ListTools, Listen, MgpFilter, Ping, ReadResource, RootsListChanged, SetLevel, SubscribeResource,
        UnsubscribeResource,
        tasks::{ClientTasks, extension::tasks_not_declared},
    },
    rpc::{Call, Empty, ErrorObject, JsonRpcCode, Notice},
};
use std::sync::Arc;
use tower::ServiceExt;

/// Answers a request, or handles a notification.
pub(super) async fn answer(core: Arc<Core>, message: Incoming) -> Result<Reply, BoxError> {
    if message.is_notification() {
        notified(&core, &message).await;
        return Ok(Reply::none());
    }
    match &*message.method {
        ListResources::METHOD
        | ListResourceTemplates::METHOD
        | ReadResource::METHOD
        | SubscribeResource::METHOD
        | UnsubscribeResource::METHOD
        | ListPrompts::METHOD
        | GetPrompt::METHOD
        | Complete::METHOD
        | Listen::METHOD => {
            core.first_starts().await;
            Ok(of_servers(&core, message).await)
        }
        method if tasks::METHODS.contains(&method) => {
            let principal = forward::caller(&message);
            Ok(match principal {
                Ok(principal) => tasks::answer(&core, &principal, message).await,
                Err(error) => Reply::error(error),
            })
        }
        SetLevel::METHOD => Ok(match set_log_level(&core, &message).await {
            Ok(reply) => reply,
            Err(error) => forward::refuse_method(&core, &message, error).await,
        }),
        Initialize::METHOD => {
            let instructions = instructions(&core, message.ext.get()).await;
            Ok(Handshake { instructions, ..core.handshake.clone() }.answer(&message))
        }
        Ping::METHOD => Ok(Reply::ok(RawJson::empty_object())),
        ListTools::METHOD => {
            core.first_starts().await;
            Ok(match forward::caller(&message) {
                Ok(caller) => list_tools(&core, &caller, &message).await,
                Err(error) => Reply::error(error),
            })
        }
        method if tool_index::METHODS.contains(&method) => Ok(tool_index::answer(&core, &message).await),
        Shutdown::METHOD => Ok(stopping::shutdown(&core, &message).await),
        CheckHealth::METHOD => match forward::caller(&message) {
            Ok(caller) => HealthService::new(health_for(&core, caller)).oneshot(message).await,
            Err(error) => Ok(Reply::error(error)),
        },
        ReplayAudit::METHOD => Ok(match operator(&core, &message).await {
            Ok(_) => replay(&core, &message).await,
            Err(refused) => refused,
        }),
        method if AccessMethods::METHODS.contains(&method) => Ok(match operator(&core, &message).await {
            Ok(caller) => {
                let methods = AccessMethods::new(core.access.clone(), core.sink.clone());
                let reply = methods.answer(&caller, method, &message.params).await;
                recorded(&core, &message, reply).await
            }
            Err(refused) => refused,
        }),
        method if RegistryMethods::METHODS.contains(&method) => {
            let methods = RegistryMethods::new(core.registry.clone(), core.offered.clone());
            if method == ListServers::METHOD {
                let reply = methods.answer(&message).await.unwrap_or_else(Reply::error);
                return Ok(recorded(&core, &message, reply).await);
            }
            // The registrar records what it refuses.
            methods.with_registrar(Arc::new(Registering(core))).oneshot(message).await
        }
        other => Ok(Reply::error(ErrorObject::method_not_found(other))),
    }
}

/// Returns the kernel's health as a caller is shown it, with the number of tools that the caller may use; an operator may use all.
fn health_for(core: &Arc<Core>, caller: Principal) -> Health {
    let core = core.clone();
    core.health.clone().tools(move || {
        let (access, offered) = (core.access.view(&caller), core.offered.view(&caller));
        let tools = core.tools.load();
        let mut counts = ToolCounts { available: 0, total: 0 };
        for entry in tools.entries() {
            let is_up = entry.server.link().is_some();
            counts.total += u64::from(caller.is_admin() || access.sees(&entry.id));
            counts.available += u64::from(is_up && (caller.is_admin() || offered.sees(&entry.id)));
        }
        counts
    })
}

/// Answers a method on the servers' resources and prompts.
async fn of_servers(core: &Core, message: Incoming) -> Reply {
    let principal = match forward::caller(&message) {
        Ok(principal) => principal,
        Err(error) => return forward::refuse_method(core, &message, error).await,
    };
    let host = HostDialect::of(message.session());
    let answered = match &*message.method {
        ReadResource::METHOD => return resources::read(core, &principal, message).await,
        GetPrompt::METHOD => return prompts::get(core, &principal, message).await,
        Complete::METHOD => return completion::complete(core, &principal, message).await,
        ListResources::METHOD => Ok(resources::list_resources(core, &principal, host).await),
        ListResourceTemplates::METHOD => Ok(resources::list_templates(core, &principal, host).await),
        ListPrompts::METHOD => Ok(prompts::list_prompts(core, &principal, host).await),
        SubscribeResource::METHOD => resources::subscribe(core, &principal, &message).await,
        UnsubscribeResource::METHOD => resources::unsubscribe(&message),
        Listen::METHOD => listen(core, &principal, &message).await,
        other => Err(ErrorObject::method_not_found(other)),
    };
    match answered {
        Ok(reply) => reply,
        Err(error) => forward::refuse_method(core, &message, error).await,
    }
}

/// Answers `subscriptions/listen`, at the end of the subscription.
async fn listen(core: &Core, principal: &Principal, message: &Incoming) -> Result<Reply, ErrorObject> {
    let mut filter = notify::asked_for(message)?;
    // The trail is read with `mgp/audit/replay`.
    filter.mgp = filter.mgp.map(|mgp| MgpFilter { audit: false, ..mgp }).filter(|mgp| mgp.lifecycle);
    if principal.is_delegated() {
        // Later notifications go by the rights of the session alone, so only what the whole chain may hear is subscribed to.
        filter.mgp = None;
        filter.resource_subscriptions.retain(|uri| resources::owner(core, principal, uri).is_some());
    }
    if !filter.task_ids.is_empty() && era::tasks_of(message.session()) == ClientTasks::Undeclared {
        return Err(tasks_not_declared());
    }
    let _listened = tasks::listen(core, principal, &mut filter.task_ids);
    let _watching = resources::watch_while(core, principal, &filter.resource_subscriptions)?;
    Ok(core.hosts.listen(message, filter).await)
}

/// Sets the log level of a host, and passes the level on to the servers whose logs the host may see.
async fn set_log_level(core: &Core, message: &Incoming) -> Result<Reply, ErrorObject> {
    let reply = logging::set(message)?;
    let principal = forward::caller(message)?;
    if let Some(level) = message.session().and_then(logging::asked_for) {
        let servers = forward::visible(core, &principal);
        let told = servers
            .iter()
            .filter_map(|server| Some((server, server.link()?)))
            .map(async |(server, link)| server.log_from(&link, level).await);
        join_all(told).await;
    }
    Ok(reply)
}

/// Handles a notification from a host.
async fn notified(core: &Core, message: &Incoming) {
    match &*message.method {
        Initialized::METHOD => {
            if let Some(peer) = message.peer() {
                core.hosts.add(peer);
            }
        }
        RootsListChanged::METHOD => {
            let Ok(principal) = forward::caller(message) else { return };
            for server in forward::visible(core, &principal) {
                // One that may not ask for them was not told that there are any.
                let asks = server.spec.host_features.contains(&HostFeature::Roots);
                let Some(link) = server.link().filter(|link| asks && !link.is_stateless()) else { continue };
                if let Err(error) = link.control().notify::<RootsListChanged>(&Empty::default()).await {
                    tracing::debug!(server = server.id(), %error, "was not told that the roots changed");
                }
            }
        }
        _ => {}
    }
}

/// Returns the caller of a method that only an operator may use. Any other caller is refused, and the refusal is recorded.
async fn operator(core: &Core, message: &Incoming) -> Result<Principal, Reply> {
    match forward::caller(message) {
        Ok(caller) if caller.is_admin() => Ok(caller),
        Ok(caller) => {
            let (method, who) = (&message.method, caller.id());
            let error = format!("{method} needs the admin role, which {who:?} does not have");
            Err(forward::refuse_method(core, message, ErrorCode::PermissionDenied.error(error)).await)
        }
        Err(error) => Err(forward::refuse_method(core, message, error).await),
    }
}

async fn replay(core: &Core, message: &Incoming) -> Reply {
    let filter = match message.params.decode() {
        Ok(filter) => filter,
        Err(error) => return forward::refuse_method(core, message, error).await,
    };
    let Some(log) = &core.audit_log else {
        return Reply::error(ErrorObject::internal("this kernel keeps no audit trail"));
    };
    let reply = log.replay(filter).await.map_or_else(Reply::error, |events| Reply::from_value(&events));
    recorded(core, message, reply).await
}

/// Records a refusal by methods that do not record their refusals themselves. A failure is recorded where it happens.
async fn recorded(core: &Core, message: &Incoming, reply: Reply) -> Reply {
    let refused = |error: &&ErrorObject| error.code != i64::from(JsonRpcCode::InternalError);
    match reply.as_error().filter(refused).cloned() {
        Some(error) => forward::refuse_method(core, message, error).await,
        None => reply,
    }
}
