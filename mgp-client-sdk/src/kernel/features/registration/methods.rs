//! `mgp/discovery/register` and `mgp/discovery/deregister`, for hosts and for programs with a handle to the kernel.

use crate::kernel::boot::core::Core;
use async_trait::async_trait;
use mgp_discovery::{
    registration::Registration,
    registry::{self, RegistryMethods},
};
use mgp_transport::seam::Routes;
use mgp_types::{
    context::Principal,
    discovery::{DeregisterServerParams, DeregisterServerResult, RegisterServerParams, RegisterServerResult},
    error::ErrorCode,
    lifecycle::ServerState,
    mgp_member::MGP_MEMBER,
    rpc::{ErrorObject, RawParams},
};
use std::sync::Arc;

/// Returns the methods for the registry, whose registrar is the kernel.
pub(in crate::kernel) fn routes() -> Routes<Arc<Core>> {
    RegistryMethods::routes().map_state(|core: &Arc<Core>, _| {
        let methods = RegistryMethods::new(core.servers.registry.clone(), core.tools.offered.clone());
        Ok(methods.with_registrar(Arc::new(KernelRegistrar(core.clone()))))
    })
}

/// The kernel, as the registrar behind these methods.
#[derive(Debug)]
struct KernelRegistrar(Arc<Core>);

#[async_trait]
impl registry::Registrar for KernelRegistrar {
    async fn register(
        &self,
        caller: &Principal,
        params: &RawParams,
    ) -> Result<RegisterServerResult, ErrorObject> {
        self.0.register_server(caller, in_own_name(params).and_then(|()| params.decode())).await
    }

    async fn deregister(
        &self,
        caller: &Principal,
        params: &RawParams,
    ) -> Result<DeregisterServerResult, ErrorObject> {
        self.0.deregister_server(caller, in_own_name(params).and_then(|()| params.decode())).await
    }
}

/// Refuses a request on somebody else's behalf, because the other principals in the chain may not have the right.
fn in_own_name(params: &RawParams) -> Result<(), ErrorObject> {
    let params = params.object()?;
    let places = [params.object(MGP_MEMBER), params.object("_meta").and_then(|meta| meta.object("mgp"))];
    if places.iter().flatten().any(|mgp| mgp.get("delegation").is_some()) {
        let error =
            "servers are not registered and not taken away on another's behalf: expected no _mgp.delegation";
        return Err(ErrorCode::PermissionDenied.error(error));
    }
    Ok(())
}

impl Core {
    /// Registers a server, starts it, and waits a while for the start to succeed or fail.
    pub(in crate::kernel) async fn register_server(
        self: &Arc<Self>,
        caller: &Principal,
        params: Result<RegisterServerParams, ErrorObject>,
    ) -> Result<RegisterServerResult, ErrorObject> {
        let registration = self.registered.registrar.register(caller, params).await?;
        self.come_and_go(true).await;
        Ok(RegisterServerResult {
            status: self.first_state(registration.id()).await,
            id: registration.server.id,
            trust_level: Registration::TRUST,
            mgp: None,
        })
    }

    /// Removes a registered server, which then drains in the background.
    pub(in crate::kernel) async fn deregister_server(
        self: &Arc<Self>,
        caller: &Principal,
        params: Result<DeregisterServerParams, ErrorObject>,
    ) -> Result<DeregisterServerResult, ErrorObject> {
        let (id, removed) = self.registered.registrar.deregister(caller, params).await?;
        self.come_and_go(true).await;
        Ok(DeregisterServerResult { id, removed })
    }

    /// Returns the state of a new server after its first start, or after the time limit of hosts for a first start.
    async fn first_state(&self, id: &str) -> ServerState {
        let kept = self.registered.registrar.registrations().find(id);
        // If there is none, its predecessor with the same id is still leaving.
        let Some(server) = kept.and_then(|kept| self.servers.serving(&kept)) else {
            return ServerState::Registered;
        };
        let _ = tokio::time::timeout(self.servers.first_start_limit, server.first_start()).await;
        server.status().state
    }
}
