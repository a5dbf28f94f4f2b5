//! The text of a tool's definition.

use crate::profile::{counted_members, hash_definition};
use mgp_types::{
    json::{RawJson, RawObject},
    tool_metadata::{ToolMetadata, Version},
    tool_security::DefinitionHash,
};

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
