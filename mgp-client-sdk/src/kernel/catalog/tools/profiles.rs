//! The profiles of tools, for policies of access control.

use super::ToolTable;
use arc_swap::ArcSwap;
use mgp_security::{access::ToolProfiles, profile::ToolProfile};
use mgp_types::context::ToolId;
use std::sync::{Arc, Weak};

/// The profiles in the table of tools. Weak, because the table holds the servers, and each server holds the access control.
#[derive(Debug)]
pub(in crate::kernel) struct TableProfiles(pub(in crate::kernel) Weak<ArcSwap<ToolTable>>);

impl ToolProfiles for TableProfiles {
    fn profile(&self, tool: &ToolId) -> Option<Arc<ToolProfile>> {
        Some(self.0.upgrade()?.load().entry(tool)?.profile.clone())
    }
}
