//! The outcome of a counted call.

/// The outcome of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The tool returned a result.
    Success,
    /// The tool returned a result that reports a failure.
    ToolError,
    /// The call reached a server, but had no result.
    Error,
    /// The call reached no server.
    Refused,
    /// The caller cancelled the call.
    Cancelled,
}
