//! The pins in memory, without the parts that decisions do not read.

use super::{PinnedDefinition, StoredRows, UnreadablePin};
use hashbrown::HashMap;
use mgp_types::{context::ToolId, tool_metadata::Version, tool_security::DefinitionHash};

/// The pins at one moment, without their texts.
#[derive(Debug, Clone, Default)]
pub(super) struct Pins {
    tools: HashMap<ToolId, Pin>,
    unreadable: Vec<UnreadablePin>,
    /// The versions in the definitions that servers listed last. No decision depends on them.
    versions: HashMap<ToolId, Version>,
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
        let version = |row: &PinnedDefinition| row.last().version();
        let versions = stored.rows.iter().filter_map(|row| Some((row.tool.clone(), version(row)?))).collect();
        let read = stored.rows.into_iter().map(|row| {
            let pin = Pin::Read {
                accepted: row.accepted.hash,
                listed: row.change.as_ref().map(|change| change.listed.hash),
                held: row.change.is_some_and(|change| change.held),
            };
            (row.tool, pin)
        });
        let unreadable = stored.unreadable.iter().map(|row| (row.tool.clone(), Pin::Unreadable));
        Self { tools: read.chain(unreadable).collect(), unreadable: stored.unreadable, versions }
    }

    /// Returns whether both lead to the same decisions.
    pub(super) fn decides_as(&self, other: &Self) -> bool {
        self.tools == other.tools && self.unreadable == other.unreadable
    }

    pub(super) fn of(&self, tool: &ToolId) -> Option<Pin> {
        self.tools.get(tool).copied()
    }

    /// Returns the version in the definition that a tool's server listed last.
    pub(super) fn version_of(&self, tool: &ToolId) -> Option<&Version> {
        self.versions.get(tool)
    }

    pub(super) fn unreadable(&self) -> &[UnreadablePin] {
        &self.unreadable
    }
}
