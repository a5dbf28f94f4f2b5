//! `roots/list` and its notification: the folders that a server may access.

use crate::{json::RawObject, rpc::Empty};
use serde::{Deserialize, Serialize};

calls! {
    /// Lists the folders that the host works on.
    call ListRoots = "roots/list": Empty => ListRootsResult;
}

notices! {
    /// Reports that the list of roots has changed.
    RootsListChanged = "notifications/roots/list_changed": Empty;
}

/// The folders that the host works on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListRootsResult {
    /// The folders.
    pub roots: Vec<Root>,
    /// Metadata of MCP and its extensions about the message.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<RawObject>,
}

/// A folder or file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Root {
    /// The root's `file:` URI.
    pub uri: String,
    /// The root's name, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Metadata of MCP and its extensions about the root.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<RawObject>,
}
