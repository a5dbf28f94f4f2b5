//! The methods for resources.

use super::{list, read, subscribe};
use crate::kernel::features::forward::Forwarder;
use mgp_transport::seam::{Role, Routes};
use mgp_types::mcp::{
    ListResourceTemplates, ListResources, ReadResource, SubscribeResource, UnsubscribeResource,
};

/// Returns the methods for resources.
pub(in crate::kernel) fn routes() -> Routes<Forwarder> {
    Routes::new()
        .route(ListResources, Role::Anyone, list::list_resources)
        .route(ListResourceTemplates, Role::Anyone, list::list_templates)
        .route(ReadResource, Role::Anyone, read::read)
        .route(SubscribeResource, Role::Anyone, subscribe::subscribe)
        .route(UnsubscribeResource, Role::Anyone, subscribe::unsubscribe)
}
