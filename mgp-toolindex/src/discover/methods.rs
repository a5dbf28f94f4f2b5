//! The method `mgp/tools/discover`.

use super::Discovery;
use mgp_transport::seam::{Role, Routes};
use mgp_types::tool_index::DiscoverTools;

impl Discovery {
    /// Returns the method that finds tools for the caller of a message.
    #[must_use]
    pub fn routes() -> Routes<Self> {
        Routes::new().typed(DiscoverTools, Role::Anyone, async |discovery: Self, caller, params| {
            discovery.discover(&caller, &params)
        })
    }
}
