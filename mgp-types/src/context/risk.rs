//! The risk of a tool.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The risk of a tool (§4.4). Ordered: safe is the least.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum RiskLevel {
    /// The tool only reads.
    Safe,
    /// The tool writes data, within limits.
    Moderate,
    /// The tool reaches the system, or its effects cannot be undone.
    Dangerous,
}

impl RiskLevel {
    /// Returns the name on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Safe => "safe",
            Self::Moderate => "moderate",
            Self::Dangerous => "dangerous",
        }
    }
}

impl fmt::Display for RiskLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
