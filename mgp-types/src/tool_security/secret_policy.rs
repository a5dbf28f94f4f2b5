//! The operator's answer to secrets in results.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The answer to secrets in a server's replies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum SecretPolicy {
    /// Replies are not searched.
    #[default]
    Off,
    /// Replies are searched and left as they are; an event records the secrets.
    Warn,
    /// Each secret is replaced before the reply leaves; an event records the secrets.
    Mask,
}

impl SecretPolicy {
    /// Returns the name of the answer in a configuration.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Warn => "warn",
            Self::Mask => "mask",
        }
    }
}

impl fmt::Display for SecretPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
