//! `roots/list` and its notification: where a server may look.

use crate::{json::RawObject, rpc::Empty};
use serde::{Deserialize, Serialize};

calls! {
    /// Lists the folders that the host is about.
    call ListRoots = "roots/list": Empty => ListRootsResult;
}

notices! {
    /// The list of roots is another one now.
    RootsListChanged = "notifications/roots/list_changed": Empty;
}

/// The folders that the host is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListRootsResult {
    /// The folders.
    pub roots: Vec<Root>,
    /// What MCP and its extensions say about the message.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<RawObject>,
}

/// A folder or file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Root {
    /// Its `file:` URI.
    pub uri: String,
    /// Its name, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What MCP and its extensions say about it.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<RawObject>,
}
