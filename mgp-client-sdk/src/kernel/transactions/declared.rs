//! The declarations of the call that undoes a call: the operator's, and that of the tool.

use crate::kernel::tools::ToolEntry;
use mgp_lifecycle::transaction::{CompensationTemplate, DeclaredCompensations};
use mgp_transport::seam::ToolCall;
use mgp_types::{json::RawObject, tool_metadata::ToolMetadata, transaction::COMPENSATION};
use std::sync::Arc;

/// Returns the declarations for a call.
pub(in crate::kernel) fn declared(call: &ToolCall) -> DeclaredCompensations {
    let entry = call.route.clone().and_then(|route| route.downcast::<ToolEntry>().ok());
    let Some(entry): Option<Arc<ToolEntry>> = entry else { return DeclaredCompensations::default() };
    DeclaredCompensations {
        configured: entry.server.spec.compensations.get(&*entry.id.tool_name).cloned(),
        of_tool: of_tool(&entry),
    }
}

/// Returns the declaration of a tool.
fn of_tool(entry: &ToolEntry) -> Option<CompensationTemplate> {
    if !entry.definition.may_hold(COMPENSATION) {
        return None;
    }
    let definition = RawObject::from_json(&entry.definition).ok()?;
    ToolMetadata::of_definition(&definition).metadata.compensation.map(CompensationTemplate)
}
