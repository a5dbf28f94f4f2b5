//! The trust level of a server.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The trust level of a server (§2.3). Configuration decides; a server's own claim can only lower it.
///
/// Ordered: sandboxed is the least. The later names of the specification are also read: `core` means trusted,
/// `experimental` and `untrusted` mean sandboxed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum TrustLevel {
    /// The server is unknown.
    #[default]
    #[serde(alias = "experimental", alias = "untrusted")]
    Sandboxed,
    /// The operator configured the server.
    Standard,
    /// The operator vouches for the server.
    #[serde(alias = "core")]
    Trusted,
}

impl TrustLevel {
    /// Returns the name on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Sandboxed => "sandboxed",
            Self::Standard => "standard",
            Self::Trusted => "trusted",
        }
    }
}

impl fmt::Display for TrustLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
