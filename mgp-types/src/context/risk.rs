//! How dangerous a tool is.

use serde::{Deserialize, Serialize};
use std::fmt;

/// How dangerous a tool is (§4.4). Ordered: safe is the least.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum RiskLevel {
    /// Reads only.
    Safe,
    /// Writes data, with limits.
    Moderate,
    /// Reaches the system, or cannot be undone.
    Dangerous,
}

impl RiskLevel {
    /// The name on the wire.
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
