//! The list of tools.

use super::Pages;
use mgp_transport::seam::{Incoming, Role, Routes, Session};
use mgp_types::{
    mcp::{ListTools, ProtocolVersion},
    negotiation::{Extension, Negotiation},
};
use std::sync::Arc;

/// The list of tools, in a form for the revision that shows whether a tool runs as a task, and in one for the others.
#[derive(Debug)]
pub(crate) struct ToolPages {
    pub(crate) with_tasks: ToolLists,
    pub(crate) without_tasks: ToolLists,
}

/// The list of tools, with §4.3's metadata and without.
#[derive(Debug)]
pub(crate) struct ToolLists {
    pub(crate) with_security: Pages,
    pub(crate) plain: Pages,
}

impl ToolPages {
    /// Returns `tools/list`.
    pub(crate) fn routes() -> Routes<Arc<Self>> {
        Routes::new().route(ListTools, Role::Anyone, async |tools: Arc<Self>, message| {
            Ok(tools.for_client(&message).answer(&message.params)?)
        })
    }

    fn for_client(&self, message: &Incoming) -> &Pages {
        let revision = message.session().and_then(Session::get::<ProtocolVersion>);
        let lists = match revision {
            Some(ProtocolVersion::V2025_11_25) => &self.with_tasks,
            _ => &self.without_tasks,
        };
        let negotiated = message.session().and_then(Session::get::<Negotiation>);
        let security = negotiated.is_some_and(|negotiated| negotiated.has(Extension::Security));
        if security { &lists.with_security } else { &lists.plain }
    }
}
