//! The objects in the specification outside of messages, identified by their members.

use mgp_types::{
    code_safety::CodeRejection,
    json::RawObject,
    lifecycle::RestartConfig,
    mcp::Tool,
    negotiation::MgpCapabilities,
    tool_index::{IndexEntry, ToolContextBudget},
};
use serde::{Deserialize, Serialize};

use super::methods::{RoundTrip, round};

/// §12.2 and §16.2: capabilities with only the `mgp` object.
#[derive(Serialize, Deserialize)]
struct MgpMember {
    mgp: MgpCapabilities,
}

/// §16.8: the budget under its key.
#[derive(Serialize, Deserialize)]
struct BudgetMember {
    tool_context_budget: ToolContextBudget,
}

/// The description of an object, and the type that it is read as.
pub(super) struct Shape {
    pub(super) what: &'static str,
    /// The members that identify the object.
    members: &'static [&'static str],
    pub(super) round: RoundTrip,
}

const SHAPES: &[Shape] = &[
    Shape { what: "index entry", members: &["tool_id", "server_id", "name"], round: round::<IndexEntry> },
    Shape { what: "tool definition", members: &["name", "security"], round: round::<Tool> },
    Shape {
        what: "code rejection",
        members: &["status", "reason", "violations"],
        round: round::<CodeRejection>,
    },
    Shape { what: "restart configuration", members: &["restart_policy"], round: round::<RestartConfig> },
    Shape { what: "capability declaration", members: &["mgp"], round: round::<MgpMember> },
    Shape { what: "context budget", members: &["tool_context_budget"], round: round::<BudgetMember> },
];

/// Returns the first shape whose members an object has.
pub(super) fn find(object: &RawObject) -> Option<&'static Shape> {
    SHAPES.iter().find(|shape| shape.members.iter().all(|member| object.get(member).is_some()))
}
