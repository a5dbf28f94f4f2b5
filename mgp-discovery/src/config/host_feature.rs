//! What a server may ask of hosts, and in which era of MCP it is spoken to.

use serde::{Deserialize, Serialize};

/// Something that a server may ask of hosts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum HostFeature {
    /// The host's model (`sampling/createMessage`).
    Sampling,
    /// The host's user (`elicitation/create`).
    Elicitation,
    /// The folders that the host is about (`roots/list`).
    Roots,
}

impl HostFeature {
    /// Every one.
    pub const ALL: [Self; 3] = [Self::Sampling, Self::Elicitation, Self::Roots];

    /// Its name, here and among MCP's capabilities of a client.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Sampling => "sampling",
            Self::Elicitation => "elicitation",
            Self::Roots => "roots",
        }
    }
}

/// In which era of MCP a server is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ServerEra {
    /// In the one that it speaks: it is asked when it is first reached.
    #[default]
    Auto,
    /// In that of `initialize`: 2024-11-05 to 2025-11-25.
    Initialize,
    /// In the stateless one: 2026-07-28.
    Stateless,
}
