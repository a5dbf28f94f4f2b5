//! The form of the answer to a tool call that is refused.

use serde::{Deserialize, Serialize};

/// The form of the answer to a tool call that is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum RefusalForm {
    /// A JSON-RPC error, which many hosts raise as an exception.
    #[default]
    Error,
    /// A result with `isError`, whose text hosts show to their model.
    Result,
}
