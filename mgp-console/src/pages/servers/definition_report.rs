//! The output of `mgp tools diff --json`, as far as the page shows it.

use serde::Deserialize;
use serde_json::Value;

/// The tools whose definitions differ from the accepted ones.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct DefinitionReport {
    pub(super) definitions: Vec<ChangedDefinition>,
    pub(super) unreadable: Vec<UnreadableDefinition>,
}

/// A tool whose definition differs from the accepted one.
#[derive(Debug, Deserialize)]
pub(super) struct ChangedDefinition {
    pub(super) server_id: String,
    pub(super) tool_name: String,
    /// True if the tool is withheld until the change is accepted.
    #[serde(default)]
    pub(super) held: bool,
    #[serde(default)]
    pub(super) breaking: bool,
    /// False if only the hashes can be compared.
    #[serde(default)]
    pub(super) compared: bool,
    pub(super) listed_sha256: String,
    pub(super) listed_at: String,
    #[serde(default)]
    pub(super) differences: Vec<DefinitionDifference>,
    #[serde(default)]
    pub(super) left_out: usize,
    #[serde(default)]
    pub(super) old_version: Option<String>,
    #[serde(default)]
    pub(super) new_version: Option<String>,
}

/// One difference.
#[derive(Debug, Deserialize)]
pub(super) struct DefinitionDifference {
    /// The JSON pointer to the changed part.
    pub(super) path: String,
    pub(super) effect: String,
    #[serde(default)]
    pub(super) old: Option<Value>,
    #[serde(default)]
    pub(super) new: Option<Value>,
}

/// A stored definition that cannot be read.
#[derive(Debug, Deserialize)]
pub(super) struct UnreadableDefinition {
    pub(super) tool_name: String,
    pub(super) problem: String,
}
