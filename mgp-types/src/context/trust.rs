//! How far a server is trusted.

use serde::{Deserialize, Serialize};
use std::fmt;

/// How far a server is trusted (§2.3). Configuration decides; a server's own claim can only lower it.
///
/// Ordered: sandboxed is the least. The later names of the specification are read too: `core` is trusted,
/// `experimental` and `untrusted` are sandboxed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TrustLevel {
    /// Nothing is known of it.
    #[default]
    #[serde(alias = "experimental", alias = "untrusted")]
    Sandboxed,
    /// The operator configured it.
    Standard,
    /// The operator vouches for it.
    #[serde(alias = "core")]
    Trusted,
}

impl TrustLevel {
    /// The name on the wire.
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
