//! The methods for resources.

use super::{list, read, subscribe};
use crate::kernel::{
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
pub(in crate::kernel) struct ResourceMethods {
    pub(in crate::kernel) forwarder: Forwarder,
    /// The tools, which show an agent the servers whose resources it may not use.
    pub(in crate::kernel) tools: Arc<Tools>,
    pub(in crate::kernel) listed: Vec<Arc<dyn ListedResource>>,
    pub(in crate::kernel) unlisted: Vec<Arc<dyn UnlistedResources>>,
}

impl ResourceMethods {
    /// Returns the listed resource of the kernel itself with a URI.
    pub(super) fn own(&self, uri: &str) -> Option<&Arc<dyn ListedResource>> {
        self.listed.iter().find(|own| own.uri() == uri)
    }
}

/// Returns the methods for resources.
pub(in crate::kernel) fn routes() -> Routes<ResourceMethods> {
    Routes::new()
        .route(ListResources, Role::Anyone, list::list_resources)
        .route(ListResourceTemplates, Role::Anyone, list::list_templates)
        .route(ReadResource, Role::Anyone, read::read)
        .route(SubscribeResource, Role::Anyone, subscribe::subscribe)
        .route(UnsubscribeResource, Role::Anyone, subscribe::unsubscribe)
}
