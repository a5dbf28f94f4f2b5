//! Every method that runs no server's tool, by its name.

use super::{core::Core, list_tools::list_tools};
use mgp_discovery::registry::RegistryMethods;
use mgp_lifecycle::health::HealthService;
use mgp_security::access::AccessMethods;
use mgp_toolindex::discover::DiscoverMethods;
use mgp_transport::seam::{BoxError, Incoming, Reply};
use mgp_types::{
    audit::ReplayAudit,
    context::Principal,
    error::ErrorCode,
    json::RawJson,
    lifecycle::CheckHealth,
    mcp::{Initialize, Initialized, ListTools, Ping},
    rpc::{Call, ErrorObject, Notice},
    tool_index::{DiscoverTools, DiscoverToolsParams},
};
use std::sync::Arc;
use tower::ServiceExt;

/// Answers a method, or hears a notification.
pub(super) async fn answer(core: Arc<Core>, message: Incoming) -> Result<Reply, BoxError> {
    if message.is_notification() {
        if message.method == Initialized::METHOD
            && let Some(peer) = message.peer()
        {
            core.hosts.add(peer.unbound());
        }
        return Ok(Reply::none());
    }
    match &*message.method {
        Initialize::METHOD => Ok(core.handshake.answer(&message)),
        Ping::METHOD => Ok(Reply::ok(RawJson::empty_object())),
        ListTools::METHOD => {
            core.first_starts().await;
            Ok(caller(&message).map_or_else(Reply::error, |caller| list_tools(&core, caller, &message)))
        }
        DiscoverTools::METHOD => {
            core.first_starts().await;
            DiscoverMethods::new(core.discovery.clone()).oneshot(message).await
        }
        CheckHealth::METHOD => HealthService::new(core.health.clone()).oneshot(message).await,
        ReplayAudit::METHOD => Ok(replay(&core, &message).await.unwrap_or_else(Reply::error)),
        method if AccessMethods::METHODS.contains(&method) => match caller(&message) {
            Ok(caller) => {
                let methods = AccessMethods::new(core.access.clone(), core.sink.clone());
                Ok(methods.answer(caller, method, &message.params).await)
            }
            Err(error) => Ok(Reply::error(error)),
        },
        method if RegistryMethods::METHODS.contains(&method) => {
            RegistryMethods::new(core.registry.clone(), core.offered.clone()).oneshot(message).await
        }
        other => Ok(Reply::error(ErrorObject::method_not_found(other))),
    }
}

/// Answers the search that the kernel offers as a tool.
pub(super) async fn discover_for_a_model(
    core: Arc<Core>,
    params: DiscoverToolsParams,
    message: Incoming,
) -> Reply {
    core.first_starts().await;
    match caller(&message) {
        Ok(caller) => Reply::from_value(&core.discovery.call(caller, &params)),
        Err(error) => Reply::error(error),
    }
}

fn caller(message: &Incoming) -> Result<&Principal, ErrorObject> {
    message.ext.get().ok_or_else(|| ErrorCode::AuthRequired.error("the caller is not known"))
}

async fn replay(core: &Core, message: &Incoming) -> Result<Reply, ErrorObject> {
    if !caller(message)?.is_admin() {
        return Err(ErrorCode::PermissionDenied.error("reading the audit trail needs the admin role"));
    }
    let Some(log) = &core.audit_log else {
        return Err(ErrorObject::internal("this kernel keeps no audit trail"));
    };
    log.replay(message.params.decode()?).await.map(|events| Reply::from_value(&events))
}
