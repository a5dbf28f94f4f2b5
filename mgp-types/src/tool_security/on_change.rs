//! The operator's answer to definitions that change.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The answer to a tool whose definition differs from the pinned one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum OnChange {
    /// The new definition is pinned instead of the old one.
    Allow,
    /// The tool stays usable, and the change is shown until an operator accepts it.
    Warn,
    /// The tool is withheld until an operator accepts the change.
    Hold,
}

impl OnChange {
    /// Returns the name of the answer in a configuration.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Warn => "warn",
            Self::Hold => "hold",
        }
    }
}

impl fmt::Display for OnChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
