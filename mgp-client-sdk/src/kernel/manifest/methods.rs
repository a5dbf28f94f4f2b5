//! The method `mgp/discovery/manifest`.

use super::document;
use crate::kernel::core::Core;
use mgp_transport::seam::{Role, Routes};
use mgp_types::{
    discovery::GetManifest,
    json::{RawJson, RawObject},
    rpc::ErrorObject,
};
use std::sync::Arc;

/// Returns the method.
pub(in crate::kernel) fn routes() -> Routes<Arc<Core>> {
    Routes::new().typed(GetManifest, Role::Anyone, async |core: Arc<Core>, caller, _| {
        core.servers.first_lists().await;
        let document = RawJson::from_value(&document(&core.tools, &caller))?;
        Ok::<_, ErrorObject>(RawObject::from_json(&document)?)
    })
}
