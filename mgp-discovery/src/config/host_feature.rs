//! The host features that a server may use, and the era of MCP for a server.

use serde::{Deserialize, Serialize};

/// A host feature that a server may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum HostFeature {
    /// The host's model (`sampling/createMessage`).
    Sampling,
    /// The host's user (`elicitation/create`).
    Elicitation,
    /// The folders that the host works on (`roots/list`).
    Roots,
    /// The host's user, by callbacks of MGP (§13.4).
    Callback,
}

impl HostFeature {
    /// Every feature.
    pub const ALL: [Self; 4] = [Self::Sampling, Self::Elicitation, Self::Roots, Self::Callback];

    /// Returns the name of the feature, here and, except for callbacks, among MCP's client capabilities.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Sampling => "sampling",
            Self::Elicitation => "elicitation",
            Self::Roots => "roots",
            Self::Callback => "callback",
        }
    }
}

/// The hosts that share a process of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum InstanceScope {
    /// All hosts share one process.
    #[default]
    Shared,
    /// Each session of a host has a process of its own, which starts with the session's first request.
    Session,
}

/// The era of MCP that is used with a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ServerEra {
    /// The era that the server supports, which is detected on the first connection.
    #[default]
    Auto,
    /// The era of `initialize`: 2024-11-05 to 2025-11-25.
    Initialize,
    /// The stateless era: 2026-07-28.
    Stateless,
}
