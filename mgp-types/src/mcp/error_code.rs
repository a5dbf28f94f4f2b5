//! The error codes that MCP adds to JSON-RPC's.

/// An error code of MCP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i64)]
pub enum McpErrorCode {
    /// There is no such resource; later revisions say -32602.
    ResourceNotFound = -32002,
    /// The stateless revision's headers and body differ.
    HeaderMismatch = -32020,
    /// The client did not say that it can do what this needs.
    MissingRequiredClientCapability = -32021,
    /// The revision is not spoken here.
    UnsupportedProtocolVersion = -32022,
    /// The user must open a URL first.
    UrlElicitationRequired = -32042,
}

impl From<McpErrorCode> for i64 {
    fn from(code: McpErrorCode) -> Self {
        code as Self
    }
}
