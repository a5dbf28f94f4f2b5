//! The pins in memory, as far as decisions depend on them.

use super::{PinnedDefinition, StoredRows, UnreadablePin};
use hashbrown::HashMap;
use mgp_types::{context::ToolId, tool_security::DefinitionHash};

/// The pins at one moment, without their texts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Pins {
    tools: HashMap<ToolId, Pin>,
    unreadable: Vec<UnreadablePin>,
}

/// The pin of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pin {
    /// The hash of the pinned definition, and the hash of the definition that is listed instead.
    Read {
        accepted: DefinitionHash,
        listed: Option<DefinitionHash>,
        held: bool,
    },
    Unreadable,
}

impl Pins {
    pub(super) fn new(stored: StoredRows<PinnedDefinition, UnreadablePin>) -> Self {
        let read = stored.rows.into_iter().map(|row| {
            let pin = Pin::Read {
                accepted: row.accepted.hash,
                listed: row.change.as_ref().map(|change| change.listed.hash),
                held: row.change.is_some_and(|change| change.held),
            };
            (row.tool, pin)
        });
        let unreadable = stored.unreadable.iter().map(|row| (row.tool.clone(), Pin::Unreadable));
        Self { tools: read.chain(unreadable).collect(), unreadable: stored.unreadable }
    }

    pub(super) fn of(&self, tool: &ToolId) -> Option<Pin> {
        self.tools.get(tool).copied()
    }

    pub(super) fn unreadable(&self) -> &[UnreadablePin] {
        &self.unreadable
    }
}
