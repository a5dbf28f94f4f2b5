//! The enforcement of a server's permissions by the operating system.

use super::{Endpoint, ServerSpec};
#[cfg(feature = "child")]
use mgp_security::confine::ConfinementMode;
use std::fmt;

/// The enforcement of a server's permissions by the operating system. Validators only advise on calls; this is what bounds the
/// server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Enforcement {
    /// The server's process is confined, or not started at all.
    Required,
    /// The server's process is confined as far as this system supports it.
    BestEffort,
    /// The server's process is not confined.
    Off,
    /// The server runs elsewhere, at a URL.
    Elsewhere,
}

impl Enforcement {
    /// The advice for an unconfined process.
    pub const REMEDY: &str = if cfg!(any(target_os = "linux", target_os = "macos")) {
        "`confinement.mode = \"require\"` in its table of the configuration confines it"
    } else {
        "this system cannot confine it, only Linux and macOS can"
    };

    /// Returns the enforcement of a server's permissions; `None` if the server runs in this process, or has no endpoint.
    pub(super) fn of(spec: &ServerSpec) -> Option<Self> {
        match &spec.endpoint {
            #[cfg(feature = "child")]
            Endpoint::Child(_) | Endpoint::Commands(_) => Some(match spec.confinement.mode_for(spec.trust) {
                ConfinementMode::Require => Self::Required,
                ConfinementMode::BestEffort if cfg!(any(target_os = "linux", target_os = "macos")) => {
                    Self::BestEffort
                }
                ConfinementMode::BestEffort | ConfinementMode::Off => Self::Off,
            }),
            #[cfg(feature = "http")]
            Endpoint::Http { .. } => Some(Self::Elsewhere),
            #[cfg(feature = "openapi")]
            Endpoint::Api(_) => Some(Self::Elsewhere),
            Endpoint::InProcess(_) | Endpoint::Unusable(_) => None,
        }
    }
}

impl fmt::Display for Enforcement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Required => {
                f.write_str("required: the operating system confines the server and all that it starts")
            }
            Self::BestEffort => f.write_str(
                "best effort: the operating system confines the server and all that it starts as far as this system can",
            ),
            Self::Off => write!(
                f,
                "none: the server and all that it starts may do whatever this account may ({})",
                Self::REMEDY
            ),
            Self::Elsewhere => {
                f.write_str("none: the server runs at its URL, where this gateway cannot confine it")
            }
        }
    }
}
