//! The methods for resources.

use super::{list, read, subscribe};
use crate::{
    catalog::tools::Tools,
    features::{
        forward::Forwarder,
        own_resources::{ListedResource, UnlistedResources},
    },
};
use mgp_transport::seam::{Role, Routes};
use mgp_types::mcp::{
    ListResourceTemplates, ListResources, ReadResource, SubscribeResource, UnsubscribeResource,
};
use std::sync::Arc;

/// The servers with resources, and the resources of the kernel itself.
#[derive(Debug, Clone)]
pub(crate) struct ResourceMethods {
    pub(crate) forwarder: Forwarder,
    /// The tools, which show an agent the servers whose resources it may not use.
    pub(crate) tools: Arc<Tools>,
    pub(crate) listed: Vec<Arc<dyn ListedResource>>,
    pub(crate) unlisted: Vec<Arc<dyn UnlistedResources>>,
}

impl ResourceMethods {
    /// Returns the listed resource of the kernel itself with a URI.
    pub(super) fn own(&self, uri: &str) -> Option<&Arc<dyn ListedResource>> {
        self.listed.iter().find(|own| own.uri() == uri)
    }
}

/// Returns the methods for resources.
pub(crate) fn routes() -> Routes<ResourceMethods> {
    Routes::new()
        .route(ListResources, Role::Anyone, list::list_resources)
        .route(ListResourceTemplates, Role::Anyone, list::list_templates)
        .route(ReadResource, Role::Anyone, read::read)
        .route(SubscribeResource, Role::Anyone, subscribe::subscribe)
        .route(UnsubscribeResource, Role::Anyone, subscribe::unsubscribe)
}
