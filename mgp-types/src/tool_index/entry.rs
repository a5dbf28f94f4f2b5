//! §16.4 The entry of a tool in the index.

use crate::tool_security::SecurityMetadata;
use serde::{Deserialize, Serialize};

/// A tool in the index (§16.4).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct IndexEntry {
    /// The tool's id in the index.
    pub tool_id: String,
    /// The tool's server.
    pub server_id: String,
    /// The tool's name on that server.
    pub name: String,
    /// A description of the tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The categories that the tool is filed under.
    #[serde(default)]
    pub categories: Vec<String>,
    /// The words by which the tool is found.
    #[serde(default)]
    pub keywords: Vec<String>,
    /// The tool's risks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub security: Option<SecurityMetadata>,
    /// The embedding vector of the tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub embedding: Option<Vec<f32>>,
}
