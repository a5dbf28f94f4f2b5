//! §16.4 What the index holds of a tool.

use crate::tool_security::SecurityMetadata;
use serde::{Deserialize, Serialize};

/// A tool in the index (§16.4).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct IndexEntry {
    /// The tool's id in the index.
    pub tool_id: String,
    /// Its server.
    pub server_id: String,
    /// Its name on that server.
    pub name: String,
    /// What it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// What it is filed under.
    #[serde(default)]
    pub categories: Vec<String>,
    /// Words that it is found by.
    #[serde(default)]
    pub keywords: Vec<String>,
    /// Its risks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub security: Option<SecurityMetadata>,
    /// Where its meaning lies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub embedding: Option<Vec<f32>>,
}
