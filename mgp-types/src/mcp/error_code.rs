//! The error codes that MCP adds to JSON-RPC's.

use crate::json::{RawJson, RawObject};

/// An error code of MCP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i64)]
pub enum McpErrorCode {
    /// The resource does not exist; later revisions use -32602.
    ResourceNotFound = -32002,
    /// The headers and the body of a request of the stateless revision differ.
    HeaderMismatch = -32020,
    /// The client did not declare a capability that the request needs.
    MissingRequiredClientCapability = -32021,
    /// The receiver does not support the revision.
    UnsupportedProtocolVersion = -32022,
    /// The user must open a URL first.
    UrlElicitationRequired = -32042,
}

/// The longest URI that the data of an error repeats, in characters.
const MAX_URI: usize = 2048;

/// Returns the data of an error about a resource: its URI, as MCP requires, cut if it is too long.
#[must_use]
pub fn uri_data(uri: &str) -> RawJson {
    let shown: String = uri.chars().take(MAX_URI).collect();
    RawObject::from_iter([("uri", RawJson::string(&shown))]).to_json()
}

impl From<McpErrorCode> for i64 {
    fn from(code: McpErrorCode) -> Self {
        code as Self
    }
}
