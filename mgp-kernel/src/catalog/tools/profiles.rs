//! The tools in the table, for policies of access control and for rights.

use super::ToolTable;
use crate::rights::CurrentTools;
use arc_swap::ArcSwap;
use mgp_security::{access::ToolProfiles, profile::ToolProfile};
use mgp_types::{
    context::ToolId,
    permission::{GrantScope, Permission},
};
use std::sync::{Arc, Weak};

/// The profiles in the table of tools. Weak, because the table holds the servers, and each server holds the access control.
#[derive(Debug)]
pub(crate) struct TableProfiles(pub(crate) Weak<ArcSwap<ToolTable>>);

impl ToolProfiles for TableProfiles {
    fn profile(&self, tool: &ToolId) -> Option<Arc<ToolProfile>> {
        Some(self.0.upgrade()?.load().entry(tool)?.profile.clone())
    }
}

impl CurrentTools for ArcSwap<ToolTable> {
    fn has_profile(&self, tool: &ToolId, profile: &Arc<ToolProfile>) -> bool {
        self.load().entry(tool).is_some_and(|entry| entry.profile == *profile)
    }

    fn enforces_limits(
        &self,
        tool: &ToolId,
        permission: &Permission,
        limits: &GrantScope,
    ) -> Result<(), &'static str> {
        let server = self.load().entry(tool).map(|entry| entry.server.clone());
        server.map_or(Ok(()), |server| server.start_grants.enforce(&server.spec, permission, limits))
    }
}
