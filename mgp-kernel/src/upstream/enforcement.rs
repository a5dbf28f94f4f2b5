//! The enforcement of a server's permissions by the operating system.

use super::{Endpoint, Server};
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
    pub const REMEDY: &str = if cfg!(target_os = "linux") {
        "`confinement.mode = \"require\"` in its table of the configuration confines it"
    } else {
        "this system cannot confine it, only Linux can"
    };
}

impl Server {
    /// Returns the enforcement of the server's permissions; `None` if the server runs in this process, or has no endpoint.
    #[must_use]
    pub fn enforcement(&self) -> Option<Enforcement> {
        match &self.spec.endpoint {
            #[cfg(feature = "child")]
            Endpoint::Child(_) => Some(match self.spec.confinement.mode_for(self.spec.trust) {
                ConfinementMode::Require => Enforcement::Required,
                ConfinementMode::BestEffort if cfg!(target_os = "linux") => Enforcement::BestEffort,
                ConfinementMode::BestEffort | ConfinementMode::Off => Enforcement::Off,
            }),
            #[cfg(feature = "http")]
            Endpoint::Http { .. } => Some(Enforcement::Elsewhere),
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
