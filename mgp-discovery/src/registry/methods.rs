//! Answers `mgp/discovery/*` (§15.2 to §15.5).

use super::{RegisteredServer, Registrar, Registry};
use mgp_transport::seam::{BoxError, Incoming, Reply, Visibility};
use mgp_types::{
    context::Principal,
    discovery::{
        DeregisterServer, DeregisterServerParams, ListServers, ListServersParams, ListServersResult,
        RegisterServer, RegisterServerParams, ServerFilter,
    },
    error::ErrorCode,
    negotiation::Extension,
    permission::Permission,
    rpc::{Call, ErrorObject},
};
use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};
use tower_service::Service;

/// The most entries that a list in a filter may have.
const MAX_FILTER: usize = 100;

/// Answers the methods of §15 for a registry. A caller is only shown what it may use.
#[derive(Debug, Clone)]
pub struct RegistryMethods {
    registry: Registry,
    visibility: Arc<dyn Visibility>,
    /// Adds and removes servers. `None` if servers come from the configuration alone.
    registrar: Option<Arc<dyn Registrar>>,
}

impl RegistryMethods {
    /// The methods that this service answers.
    pub const METHODS: [&'static str; 3] =
        [ListServers::METHOD, RegisterServer::METHOD, DeregisterServer::METHOD];

    /// Creates a service for a registry. `visibility` decides which servers and tools a caller is shown.
    pub fn new(registry: Registry, visibility: Arc<dyn Visibility>) -> Self {
        Self { registry, visibility, registrar: None }
    }

    /// Sets the registrar that registers and deregisters servers. Without one, both are refused.
    #[must_use]
    pub fn with_registrar(mut self, registrar: Arc<dyn Registrar>) -> Self {
        self.registrar = Some(registrar);
        self
    }

    /// Answers a request of one of [`METHODS`](Self::METHODS), whose caller is in its context; -32601 for any other.
    ///
    /// # Errors
    /// 1000 and 1002 where the caller may not, -32602 and 4000 for params that are wrong, and what the registrar refuses.
    pub async fn answer(&self, message: &Incoming) -> Result<Reply, ErrorObject> {
        let Some(principal) = message.ext.get::<Principal>() else {
            return Err(ErrorCode::AuthRequired.error("discovery needs to know who asks"));
        };
        match message.method.as_str() {
            ListServers::METHOD => {
                let params: ListServersParams = message.params.decode()?;
                self.list(principal, &params.filter.unwrap_or_default()).map(|list| Reply::from_value(&list))
            }
            RegisterServer::METHOD => match &self.registrar {
                Some(registrar) => {
                    let added = registrar.register(principal, &message.params).await?;
                    Ok(Reply::from_value(&added))
                }
                None => {
                    let params: RegisterServerParams = message.params.decode()?;
                    Err(not_enabled("registering", &params.id))
                }
            },
            DeregisterServer::METHOD => match &self.registrar {
                Some(registrar) => {
                    let removed = registrar.deregister(principal, &message.params).await?;
                    Ok(Reply::from_value(&removed))
                }
                None => {
                    let params: DeregisterServerParams = message.params.decode()?;
                    Err(not_enabled("deregistering", &params.id))
                }
            },
            other => Err(ErrorObject::method_not_found(other)),
        }
    }

    fn list(&self, principal: &Principal, filter: &ServerFilter) -> Result<ListServersResult, ErrorObject> {
        let wanted = ServerQuery::read(filter)?;
        let view = self.visibility.view(principal);
        let servers = self.registry.servers();
        let shown = servers.iter().filter(|server| wanted.fits(server));
        let entries = shown.filter_map(|server| {
            let entry = server.entry(|tool| principal.is_admin() || view.sees(tool));
            // A server that the caller can use nothing of is left out: not even its name is told.
            (principal.is_admin() || !entry.tools.is_empty() || view.sees_server(&server.id)).then_some(entry)
        });
        Ok(ListServersResult { servers: entries.collect() })
    }
}

/// A filter whose names are understood.
struct ServerQuery<'a> {
    /// `None` if the filter has a name that no server can have.
    extensions: Option<Vec<Extension>>,
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
            && self
                .extensions
                .as_ref()
                .is_some_and(|wanted| wanted.iter().all(|extension| server.extensions.contains(*extension)))
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

fn not_enabled(what: &str, id: &str) -> ErrorObject {
    let id: String = id.chars().take(64).collect();
    ErrorCode::PermissionDenied
        .error(format!("{what} {id:?}: this kernel takes servers from its configuration only"))
}

impl Service<Incoming> for RegistryMethods {
    type Response = Reply;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<Reply, BoxError>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, message: Incoming) -> Self::Future {
        let methods = self.clone();
        Box::pin(async move {
            if message.is_notification() {
                return Ok(Reply::none());
            }
            Ok(methods.answer(&message).await.unwrap_or_else(Reply::error))
        })
    }
}
