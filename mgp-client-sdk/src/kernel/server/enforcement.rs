//! The enforcement, by the operating system, of what a server may do.

use super::{Endpoint, Server};
#[cfg(feature = "child")]
use mgp_security::confine::ConfinementMode;
use std::fmt;

/// The enforcement, by the operating system, of what a server may do. Validators advise on calls; this is what bounds the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Enforcement {
    /// The server's process is confined, or not started.
    Required,
    /// The server's process is confined as far as this system can.
    BestEffort,
    /// The server's process is not confined.
    Off,
    /// The server runs elsewhere, at a URL.
    Elsewhere,
}

impl Enforcement {
    /// The words for the way to confine a process that is not confined.
    pub const REMEDY: &str = if cfg!(target_os = "linux") {
        "`confinement.mode = \"require\"` in its table of the configuration confines it"
    } else {
        "this system cannot confine it, only Linux can"
    };
}

impl Server {
    /// Returns the enforcement of what the server may do; `None` if the server is a part of this process, or has no endpoint.
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
