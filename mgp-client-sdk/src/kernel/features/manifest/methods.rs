//! The method `mgp/discovery/manifest`.

use super::document;
use crate::kernel::boot::core::Core;
use mgp_transport::seam::{Reply, Role, Routes};
use mgp_types::discovery::GetManifest;
use std::sync::Arc;

/// Returns the method.
pub(in crate::kernel) fn routes() -> Routes<Arc<Core>> {
    Routes::new().route(GetManifest, Role::Anyone, async |core: Arc<Core>, message| {
        let caller = message.caller()?;
        core.servers.first_lists().await;
        let document = document(core.manifest_source(), &caller, message.ext.get());
        Ok(Reply::from_value(&document))
    })
}
