//! `resources/read`, answered by the server that has the resource.

use super::ResourceMethods;
use crate::{
    catalog::{instructions::closed_offers, tools::Tools},
    features::forward::Forwarder,
    upstream::Server,
};
use mgp_transport::seam::{Incoming, Reply, RouteError};
use mgp_types::{
    context::Principal,
    mcp::{McpErrorCode, ResourceUri, uri_data},
    printable::quoted,
    rpc::ErrorObject,
};
use std::sync::Arc;

/// Answers `resources/read`.
pub(super) async fn read(methods: ResourceMethods, message: Incoming) -> Result<Reply, RouteError> {
    let principal = message.caller()?;
    let uri = message.params.decode::<ResourceUri>()?.uri;
    if let Some(own) = methods.unlisted.iter().find(|own| own.has(&uri)) {
        let read = own.read(&principal, &uri).await;
        return read.map_err(|error| RouteError::about(&uri, error));
    }
    let forwarder = &methods.forwarder;
    await_lists((forwarder, &methods.tools), &principal, &uri).await;
    if let Some(own) = methods.own(&uri) {
        return Ok(own.read(&principal, message.granted()));
    }
    match methods.owner(&principal, &uri) {
        Some(server) => forwarder.forward(&server, &principal, message, &uri).await,
        None => {
            let closed = closed_offers(&forwarder.servers, &methods.tools, &principal);
            Err(RouteError::about(&uri, not_found(&uri, closed.as_deref())))
        }
    }
}

/// Waits for the first lists of servers, unless a server that the principal may use already lists a URI, has a template that matches it, or a
/// tool whose page it is.
pub(super) async fn await_lists((forwarder, tools): (&Forwarder, &Tools), principal: &Principal, uri: &str) {
    let servers = forwarder.visible(principal);
    let is_known = |server: &Arc<Server>| server.offers.resources().fit(uri).is_some();
    if !servers.iter().any(is_known) && tools.load().with_page(uri).next().is_none() {
        forwarder.servers.first_lists().await;
    }
}

impl ResourceMethods {
    /// Returns the server of a URI, among those that the principal may use. The first match decides:
    ///
    /// - a server that lists the URI,
    /// - the one with the template whose literal beginning is the longest match,
    /// - one with a tool whose page the URI is,
    /// - the only server with resources of the URI's scheme,
    /// - the only server with resources.
    ///
    /// The kernel's own resources belong to no server.
    pub(super) fn owner(&self, principal: &Principal, uri: &str) -> Option<Arc<Server>> {
        if self.own(uri).is_some() {
            return None;
        }
        let servers = self.forwarder.visible(principal);
        let fits = servers.iter().filter_map(|server| Some((server.offers.resources().fit(uri)?, server)));
        // The first of those that match equally well.
        if let Some((_, server)) = fits.reduce(|best, other| if other.0 > best.0 { other } else { best }) {
            return Some(server.clone());
        }
        if let Some(server) = self.server_of_page(principal, uri) {
            return Some(server);
        }
        let has = |server: &&Arc<Server>| {
            server.current_greeting().is_some_and(|greeting| greeting.capabilities.has("resources"))
        };
        let having: Vec<_> = servers.iter().filter(has).collect();
        let of_scheme: Vec<_> =
            having.iter().filter(|server| server.offers.resources().has_scheme_of(uri)).collect();
        match (of_scheme.as_slice(), having.as_slice()) {
            ([server], _) => Some((**server).clone()),
            ([], [server]) => Some((*server).clone()),
            _ => None,
        }
    }

    /// Returns the server of a page of MCP Apps, if the principal may use one of the tools whose results it shows. Unlike other resources, a page
    /// needs no rule for the whole server. Of several servers with the page, returns the first in configuration order.
    fn server_of_page(&self, principal: &Principal, uri: &str) -> Option<Arc<Server>> {
        let table = self.tools.load();
        table.with_page(uri).next()?;
        let view = self.tools.offered.view_for_pages(principal);
        let ids: Vec<_> = table.with_page(uri).map(|entry| &entry.id).filter(|id| view.sees(id)).collect();
        let servers = self.forwarder.servers.load();
        let has_page = |server: &&Arc<Server>| ids.iter().any(|id| *id.server_id == *server.id());
        servers.iter().find(has_page).cloned()
    }
}

/// Returns the error of a URI without a resource for the caller. `closed` is a sentence about resources that it may not use.
fn not_found(uri: &str, closed: Option<&str>) -> ErrorObject {
    let message = format!("resource not found: {} is of no server that you may use", quoted(uri));
    let message = closed.map_or_else(|| message.clone(), |closed| format!("{message}. {closed}"));
    ErrorObject::new(McpErrorCode::ResourceNotFound, message).with_data(uri_data(uri))
}
