//! Answers `mgp/discovery/*` (§15.2 to §15.5).

use super::{RegisteredServer, Registrar, Registry};
use mgp_transport::seam::{Reply, Role, Routes, Visibility};
use mgp_types::{
    context::Principal,
    discovery::{
        DeregisterServer, DeregisterServerParams, ListServers, ListServersResult, RegisterServer,
        RegisterServerParams, ServerFilter,
    },
    error::ErrorCode,
    negotiation::{Extension, ExtensionSet},
    permission::Permission,
    rpc::ErrorObject,
};
use serde::Serialize;
use std::sync::Arc;

/// The most entries that a list in a filter may have.
const MAX_FILTER: usize = 100;

/// The methods of §15 for a registry. A caller is only shown servers and tools that it may use.
#[derive(Debug, Clone)]
pub struct RegistryMethods {
    registry: Registry,
    visibility: Arc<dyn Visibility>,
    /// Adds and removes servers. `None` if servers come only from the configuration.
    registrar: Option<Arc<dyn Registrar>>,
}

impl RegistryMethods {
    /// Creates the methods of a registry. `visibility` decides which servers and tools are shown to a caller.
    pub fn new(registry: Registry, visibility: Arc<dyn Visibility>) -> Self {
        Self { registry, visibility, registrar: None }
    }

    /// Sets the registrar that registers and deregisters servers. Without one, both are refused.
    #[must_use]
    pub fn with_registrar(mut self, registrar: Arc<dyn Registrar>) -> Self {
        self.registrar = Some(registrar);
        self
    }

    /// Returns the methods. A refusal by the registrar is an answer, because the registrar records it.
    #[must_use]
    pub fn routes() -> Routes<Self> {
        Routes::new()
            .typed(ListServers, Role::Anyone, async |methods: Self, caller, params| {
                methods.list(&caller, &params.filter.unwrap_or_default())
            })
            .route(RegisterServer, Role::Anyone, async |methods: Self, message| {
                let caller = message.caller()?;
                let Some(registrar) = &methods.registrar else {
                    let params: RegisterServerParams = message.params.decode()?;
                    return Err(not_enabled("registering", &params.id).into());
                };
                Ok(replied(registrar.register(&caller, &message.params).await))
            })
            .route(DeregisterServer, Role::Anyone, async |methods: Self, message| {
                let caller = message.caller()?;
                let Some(registrar) = &methods.registrar else {
                    let params: DeregisterServerParams = message.params.decode()?;
                    return Err(not_enabled("deregistering", &params.id).into());
                };
                Ok(replied(registrar.deregister(&caller, &message.params).await))
            })
    }

    fn list(&self, principal: &Principal, filter: &ServerFilter) -> Result<ListServersResult, ErrorObject> {
        let wanted = ServerQuery::read(filter)?;
        let view = self.visibility.view(principal);
        let servers = self.registry.servers();
        let shown = servers.iter().filter(|server| wanted.fits(server));
        let entries = shown.filter_map(|server| {
            let entry = server.entry(|tool| principal.is_admin() || view.sees(tool));
            // A server without anything that the caller can use is left out, including its name.
            (principal.is_admin() || !entry.tools.is_empty() || view.sees_server(&server.id)).then_some(entry)
        });
        Ok(ListServersResult { servers: entries.collect() })
    }
}

/// A filter with resolved names.
struct ServerQuery<'a> {
    /// For each name, the extensions that it stands for. A server must have at least one of each set. An unknown name matches no server.
    extensions: Vec<ExtensionSet>,
    permissions: Vec<Permission>,
    filter: &'a ServerFilter,
}

impl<'a> ServerQuery<'a> {
    fn read(filter: &'a ServerFilter) -> Result<Self, ErrorObject> {
        let extensions = names("filter.extensions", filter.extensions.as_deref())?;
        let mut permissions = Vec::new();
        for name in names("filter.permissions", filter.permissions.as_deref())? {
            let expanded = Permission::expand(name).map_err(|error| {
                ErrorObject::invalid_params(format!("invalid filter.permissions: {error}"))
            })?;
            permissions.extend(expanded);
        }
        Ok(Self {
            // Unknown names are legal in MGP; no server has them.
            extensions: extensions.iter().map(|name| Extension::from_spelling(name)).collect(),
            permissions,
            filter,
        })
    }

    fn fits(&self, server: &RegisteredServer) -> bool {
        self.filter.status.is_none_or(|status| server.state == status)
            && self.extensions.iter().all(|named| !server.extensions.intersect(*named).is_empty())
            && self.permissions.iter().all(|permission| server.permissions.contains(permission))
    }
}

fn names<'a>(field: &str, names: Option<&'a [String]>) -> Result<&'a [String], ErrorObject> {
    let names = names.unwrap_or_default();
    if names.len() > MAX_FILTER {
        let message = format!("invalid {field}: {} entries: expected at most {MAX_FILTER}", names.len());
        return Err(ErrorObject::invalid_params(message));
    }
    Ok(names)
}

fn replied<T: Serialize>(result: Result<T, ErrorObject>) -> Reply {
    result.map_or_else(Reply::error, |result| Reply::from_value(&result))
}

fn not_enabled(what: &str, id: &str) -> ErrorObject {
    let id: String = id.chars().take(64).collect();
    ErrorCode::PermissionDenied
        .error(format!("{what} {id:?}: this kernel takes servers from its configuration only"))
}
