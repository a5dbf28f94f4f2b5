//! §16.3 The tools that are shown to a host.

use serde::{Deserialize, Serialize};

/// The selection of tools that are shown to a host (§16.3). A hidden tool can still be called by callers with the right to call it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Exposure {
    /// Every tool that the caller may call.
    Full,
    /// The meta-tools, the pinned tools, and the tools that the session has loaded or used; or every tool that the caller may call, if they take
    /// fewer tokens than the meta-tools.
    #[default]
    Hybrid,
    /// The meta-tools, and the categories with the number of their tools.
    Category,
    /// Only the meta-tools.
    Discovery,
}
