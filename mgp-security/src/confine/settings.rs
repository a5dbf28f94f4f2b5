//! The operator's settings of a server's confinement.

use super::{ConfinementMode, ConfinementPreset, ConfinementRunner, Limits};
use mgp_types::context::{HostRule, TrustLevel};
use std::path::PathBuf;

/// The operator's settings of a server's confinement. They take precedence over permissions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConfinementSettings {
    /// The mode. `None` requires confinement of sandboxed servers, and does not confine others.
    pub mode: Option<ConfinementMode>,
    /// The runner; `None` is automatic.
    pub runner: Option<ConfinementRunner>,
    /// The image of the container in which the command runs; `None` if no container is configured, or its command names the image.
    pub image: Option<String>,
    /// The kind of program, if it needs more than others.
    pub preset: Option<ConfinementPreset>,
    /// True if the preset follows from the server's command, and not from the configuration.
    pub preset_by_command: bool,
    /// Files and folders that the server may read.
    pub read: Vec<PathBuf>,
    /// Files and folders that the server may read and write.
    pub write: Vec<PathBuf>,
    /// Programs, and folders of programs, that the server may start.
    pub execute: Vec<PathBuf>,
    /// True if the server may use the network of this machine, false if it may use none. `None` depends on `hosts`.
    pub network: Option<bool>,
    /// The hosts that the server may reach. `None` depends on the permission `network.outbound`, which allows every public host.
    pub hosts: Option<Vec<HostRule>>,
    /// The ports on which the server may listen. `None` depends on the permission `network.listen`.
    pub ports: Option<Vec<u16>>,
    /// The limits of resources that are set.
    pub limits: Limits,
}

impl ConfinementSettings {
    /// Returns the limits of resources of a server with this trust. An unconfined server has the configured limits, except that of
    /// processes:
    /// all processes of the account would count.
    #[must_use]
    pub fn limits_for(&self, trust: TrustLevel) -> Limits {
        match self.mode_for(trust) {
            ConfinementMode::Off => Limits { processes: None, ..self.limits },
            ConfinementMode::BestEffort | ConfinementMode::Require => self.limits.or(Limits::CONFINED),
        }
    }

    /// Returns the mode for a server with this trust.
    #[must_use]
    pub fn mode_for(&self, trust: TrustLevel) -> ConfinementMode {
        match (self.mode, trust) {
            (Some(mode), _) => mode,
            (None, TrustLevel::Sandboxed) => ConfinementMode::Require,
            (None, TrustLevel::Standard | TrustLevel::Trusted) => ConfinementMode::Off,
        }
    }
}
