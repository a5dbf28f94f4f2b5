//! `mgp/discovery/register` and `mgp/discovery/deregister`, for hosts and for programs with a handle to the kernel.

use super::RegisteredServers;
use async_trait::async_trait;
use mgp_discovery::registry::{self, RegistryMethods};
use mgp_transport::seam::Routes;
use mgp_types::{
    context::Principal,
    discovery::{DeregisterServerResult, RegisterServerResult},
    error::ErrorCode,
    mgp_member::MGP_MEMBER,
    rpc::{ErrorObject, RawParams},
};
use std::sync::Arc;

/// Returns the methods for the registry, whose registrar is the kernel.
pub(crate) fn routes() -> Routes<Arc<RegisteredServers>> {
    RegistryMethods::routes().map_state(|registered: &Arc<RegisteredServers>, _| {
        let set = &registered.set;
        let methods = RegistryMethods::new(set.servers.registry.clone(), set.tools.offered.clone());
        Ok(methods.with_registrar(Arc::new(KernelRegistrar(registered.clone()))))
    })
}

/// The kernel, as the registrar behind these methods.
#[derive(Debug)]
struct KernelRegistrar(Arc<RegisteredServers>);

#[async_trait]
impl registry::Registrar for KernelRegistrar {
    async fn register(
        &self,
        caller: &Principal,
        params: &RawParams,
    ) -> Result<RegisterServerResult, ErrorObject> {
        self.0.register(caller, in_own_name(params).and_then(|()| params.decode())).await
    }

    async fn deregister(
        &self,
        caller: &Principal,
        params: &RawParams,
    ) -> Result<DeregisterServerResult, ErrorObject> {
        self.0.deregister(caller, in_own_name(params).and_then(|()| params.decode())).await
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
