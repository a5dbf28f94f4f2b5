//! The method `mgp/discovery/manifest`.

use super::{ManifestSource, document};
use crate::upstream::servers::Servers;
use mgp_transport::seam::{Reply, Role, Routes};
use mgp_types::discovery::GetManifest;
use std::sync::Arc;

/// Returns the method.
pub(crate) fn routes() -> Routes<(Arc<Servers>, ManifestSource)> {
    Routes::new().route(
        GetManifest,
        Role::Anyone,
        async |(servers, source): (Arc<Servers>, ManifestSource), message| {
            let caller = message.caller()?;
            servers.first_lists().await;
            let document = document(&source, &caller, message.granted());
            Ok(Reply::from_value(&document))
        },
    )
}
