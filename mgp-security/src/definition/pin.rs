//! The pin of a tool's definition.

use super::{DefinitionDiff, DefinitionText, VersionCheck, command::command};
use jiff::Timestamp;
use mgp_types::{context::ToolId, json::RawJson};
use std::fmt;

/// The pinned definition of a tool, and the one that its server lists instead, if they differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PinnedDefinition {
    /// The tool.
    pub tool: ToolId,
    /// The definition that is pinned.
    pub accepted: DefinitionText,
    /// The time at which it was pinned.
    pub accepted_at: Timestamp,
    /// The operator who accepted it; `None` if a kernel pinned it, because it was the first or by `on_change = "allow"`.
    pub accepted_by: Option<String>,
    /// The definition that the server listed last, if it differs from the pinned one.
    pub change: Option<ChangedDefinition>,
}

/// A definition that a server lists instead of the pinned one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedDefinition {
    /// The definition.
    pub listed: DefinitionText,
    /// The time at which a kernel first read it.
    pub listed_at: Timestamp,
    /// True if the kernel that read it withholds the tool.
    pub held: bool,
}

impl PinnedDefinition {
    /// Returns the definition that the server listed last.
    pub(super) fn last(&self) -> &DefinitionText {
        self.change.as_ref().map_or(&self.accepted, |change| &change.listed)
    }

    /// Returns the difference between the pinned definition and the one that the server lists instead, if there is one.
    #[must_use]
    pub fn diff(&self) -> Option<DefinitionDiff> {
        let change = self.change.as_ref()?;
        Some(DefinitionDiff::between(&self.accepted, &change.listed))
    }

    /// Returns the versions of both definitions, compared with their difference, if the server lists another one.
    #[must_use]
    pub fn version_check(&self) -> Option<VersionCheck> {
        let (diff, change) = (self.diff()?, self.change.as_ref()?);
        Some(version_check(&self.accepted, &change.listed, &diff))
    }
}

/// Returns the versions of two definitions, compared with their difference. Definitions whose texts are not kept have no version.
pub(super) fn version_check(
    old: &DefinitionText,
    new: &DefinitionText,
    diff: &DefinitionDiff,
) -> VersionCheck {
    let nothing = RawJson::empty_object();
    let text = |one: &'_ DefinitionText| one.text.clone().unwrap_or_else(|| nothing.clone());
    VersionCheck::of(&text(old), &text(new), diff)
}

/// A stored pin that cannot be read, for example after it was edited by hand. Its tool is withheld until the pin is forgotten.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadablePin {
    /// The tool.
    pub tool: ToolId,
    /// The problem that keeps the pin from being read.
    pub problem: String,
}

impl fmt::Display for UnreadablePin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { tool, problem } = self;
        write!(
            f,
            "the pinned definition of tool {:?} of server {:?} cannot be read ({problem}): the tool is withheld until `{}`",
            &*tool.tool_name,
            &*tool.server_id,
            command("forget", tool)
        )
    }
}
