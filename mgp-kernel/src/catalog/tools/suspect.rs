//! Definitions that may be meant to mislead a model or a person.

use super::ToolTable;
use mgp_security::{
    audit::EventDraft,
    definition::{Finding, ToolNames, scan},
};
use mgp_types::{
    audit::{AuditEvent, AuditEventType},
    context::{Principal, ToolId},
    json::RawJson,
};
use serde::Serialize;

/// The type of the event of a suspicious definition.
const SUSPECT: &str = "dev.cloto.mgp.TOOL_SUSPECT";

/// A tool whose definition may be meant to mislead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SuspectTool {
    /// The tool.
    pub tool: ToolId,
    /// The suspicious parts of its definition.
    pub findings: Vec<Finding>,
}

/// Returns the number of tools, in total or of one server, and the suspicious ones, by server and name.
pub(crate) fn suspect_tools(table: &ToolTable, server_id: Option<&str>) -> (usize, Vec<SuspectTool>) {
    let is_asked = |tool: &ToolId| server_id.is_none_or(|id| *tool.server_id == *id);
    let count = table.entries().filter(|entry| is_asked(&entry.id)).count();
    (count, table.suspects().iter().filter(|suspect| is_asked(&suspect.tool)).cloned().collect())
}

/// Scans all tools of a table. A definition is only scanned once, in whichever tables it is.
pub(super) fn scanned(table: &ToolTable) -> Vec<SuspectTool> {
    let names = names(table);
    let suspect = table.entries().filter_map(|entry| {
        let mut findings = names.imitations(&entry.id);
        findings.extend_from_slice(entry.scanned.get_or_init(|| scan(&entry.definition).into()));
        (!findings.is_empty()).then(|| SuspectTool { tool: entry.id.clone(), findings })
    });
    let mut suspect: Vec<_> = suspect.collect();
    suspect.sort_by(|a, b| a.tool.cmp(&b.tool));
    suspect
}

/// Returns the names of all tools.
pub(super) fn names(table: &ToolTable) -> ToolNames<'_> {
    ToolNames::new(table.entries().map(|entry| &entry.id))
}

/// Returns the suspicious parts of a definition, given the names of other servers' tools.
pub(super) fn suspicions(names: &ToolNames<'_>, tool: &ToolId, definition: &RawJson) -> Vec<Finding> {
    let mut findings = names.imitations(tool);
    findings.extend(scan(definition));
    findings
}

/// Returns the event of a suspicious definition. It contains locations and reasons, but no text of the server.
pub(super) fn suspect_event(
    kernel: &Principal,
    server_id: &str,
    tool: &ToolId,
    findings: &[Finding],
) -> AuditEvent {
    #[derive(Serialize)]
    struct Place<'a> {
        kind: mgp_security::definition::FindingKind,
        path: &'a str,
        reason: &'a str,
    }
    let places: Vec<_> = findings
        .iter()
        .map(|Finding { kind, path, reason, .. }| Place { kind: *kind, path, reason })
        .collect();
    EventDraft::new(AuditEventType::from(SUSPECT), kernel)
        .server(server_id)
        .tool(&tool.tool_name)
        .detail("findings", &places)
        .finish()
}
