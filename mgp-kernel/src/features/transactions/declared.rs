//! The declared compensations of a call: the operator's, and that of the tool.

use crate::{catalog::tools::ToolEntry, rights::rights::Rights};
use mgp_lifecycle::transaction::{CompensationTemplate, DeclaredCompensations};
use mgp_transport::seam::ToolCall;
use mgp_types::{context::ToolId, json::RawObject, tool_metadata::ToolMetadata, transaction::COMPENSATION};

/// Returns the declared compensations of a call.
pub(crate) fn declared(rights: &Rights, call: &ToolCall) -> DeclaredCompensations {
    let Some(entry) = ToolEntry::of(call) else { return DeclaredCompensations::default() };
    let configured = entry.server.spec.compensations.get(&*entry.id.tool_name).cloned();
    let is_hidden = |undo: &CompensationTemplate| {
        let tool = ToolId::new(entry.id.server_id.clone(), undo.0.tool.as_str());
        rights.access.authorize(&call.principal, &tool).is_err()
    };
    let conceals = || call.session().is_some_and(|session| rights.conceals_from(session));
    DeclaredCompensations {
        is_concealed: configured.as_ref().is_some_and(is_hidden) && conceals(),
        configured,
        of_tool: of_tool(entry),
        endpoint: Some(entry.server.spec.endpoint.digest()),
    }
}

/// Returns the declared compensation of a tool.
fn of_tool(entry: &ToolEntry) -> Option<CompensationTemplate> {
    if !entry.definition.may_hold(COMPENSATION) {
        return None;
    }
    let definition = RawObject::from_json(&entry.definition).ok()?;
    ToolMetadata::of_definition(&definition).metadata.compensation.map(CompensationTemplate)
}
