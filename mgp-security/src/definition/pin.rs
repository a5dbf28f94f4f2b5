//! The pin of a tool's definition.

use super::{DefinitionDiff, VersionCheck};
use crate::profile::{counted_members, hash_definition};
use jiff::Timestamp;
use mgp_types::{
    context::ToolId,
    json::{RawJson, RawObject},
    tool_metadata::{ToolMetadata, Version},
    tool_security::DefinitionHash,
};
use std::fmt;

/// A definition's hash, and its text unless it is too long to be kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DefinitionText {
    /// The hash of the definition.
    pub hash: DefinitionHash,
    /// The members that the hash covers, as the server wrote them, and the version that it states, which the hash does not cover.
    pub text: Option<RawJson>,
}

impl DefinitionText {
    /// The longest text that is kept, in bytes.
    pub const MAX: usize = 64 * 1024;

    /// Reads a tool's definition.
    #[must_use]
    pub fn of(definition: &RawJson) -> Self {
        let text = with_version(counted_members(definition), definition);
        let hash = hash_definition(&text);
        Self { hash, text: (text.as_bytes().len() <= Self::MAX).then_some(text) }
    }

    /// Returns the version that the text states.
    pub(super) fn version(&self) -> Option<Version> {
        version_of(self.text.as_ref()?)
    }
}

/// Returns the version that a definition states.
pub(super) fn version_of(definition: &RawJson) -> Option<Version> {
    ToolMetadata::of_definition(&RawObject::from_json(definition).ok()?).metadata.version
}

/// Adds the version that a definition states.
fn with_version(counted: RawJson, definition: &RawJson) -> RawJson {
    let (Some(version), Ok(mut members)) = (version_of(definition), RawObject::from_json(&counted)) else {
        return counted;
    };
    let mut meta = RawObject::new();
    match (ToolMetadata { version: Some(version), ..ToolMetadata::default() }).put(&mut meta) {
        Ok(()) => {
            members.insert("_meta", meta.to_json());
            members.to_json()
        }
        Err(_) => counted,
    }
}

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

    /// Returns whether a row holds the same definitions as this one.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        let listed = |pin: &Self| pin.change.as_ref().map(|change| change.listed.hash);
        self.accepted.hash == other.accepted.hash && listed(self) == listed(other)
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
            super::judge::command("forget", tool)
        )
    }
}
