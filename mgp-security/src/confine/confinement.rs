//! The enforcement of a profile on a child process.

use super::{ConfinementMode, LandlockAbi, Profile};
#[cfg(target_os = "linux")]
use super::{ConfinementRunner, runner::prefers_bubblewrap};
#[cfg(unix)]
use mgp_transport::seam::ServeEgress;
use mgp_transport::seam::{ChildSetup, PreparedChild};
use std::io;
#[cfg(unix)]
use std::sync::Arc;

/// The enforcement of a profile on a child process. If the profile's mode requires no confinement, only its limits are enforced.
#[derive(Debug, Clone)]
pub struct Confinement {
    #[cfg_attr(not(target_os = "linux"), expect(dead_code))]
    server_id: String,
    #[cfg_attr(not(target_os = "linux"), expect(dead_code))]
    profile: Profile,
    #[cfg_attr(not(target_os = "linux"), expect(dead_code))]
    landlock: LandlockAbi,
    #[cfg(unix)]
    #[cfg_attr(not(target_os = "linux"), expect(dead_code))]
    egress: Option<Arc<dyn ServeEgress>>,
}

impl Confinement {
    /// Creates the enforcement of a profile; `None` if this system has nothing to enforce.
    #[must_use]
    pub fn new(server_id: impl Into<String>, profile: Profile) -> Option<Self> {
        let server_id = server_id.into();
        match profile.mode {
            ConfinementMode::Off if profile.limits.is_empty() => None,
            ConfinementMode::Off if cfg!(not(target_os = "linux")) => {
                tracing::warn!(
                    server = server_id,
                    "its limits of resources are not set: only Linux can do so"
                );
                None
            }
            ConfinementMode::BestEffort if cfg!(not(target_os = "linux")) => {
                tracing::warn!(server = server_id, "not confined: only Linux can do so");
                None
            }
            ConfinementMode::Off | ConfinementMode::BestEffort | ConfinementMode::Require => Some(Self {
                server_id,
                profile,
                landlock: LandlockAbi::NEWEST,
                #[cfg(unix)]
                egress: None,
            }),
        }
    }

    /// Sets the newest version of Landlock that is used, even if this machine has a newer one.
    #[must_use]
    pub fn landlock(self, newest: LandlockAbi) -> Self {
        Self { landlock: newest, ..self }
    }

    /// Sets the proxy through which the process reaches the hosts that its profile lists. Without a proxy, it reaches none.
    #[must_use]
    #[cfg(unix)]
    pub fn egress(mut self, egress: impl ServeEgress + 'static) -> Self {
        self.egress = Some(Arc::new(egress));
        self
    }
}

impl ChildSetup for Confinement {
    #[cfg(target_os = "linux")]
    fn prepare(&self) -> io::Result<PreparedChild> {
        if self.profile.mode == ConfinementMode::Off {
            return Ok(super::linux::prepare_limits(self.profile.limits));
        }
        let landlock = LandlockAbi::of_machine().map(|machine| machine.min(self.landlock));
        let by_bubblewrap = match self.profile.runner {
            ConfinementRunner::Native | ConfinementRunner::Container => false,
            ConfinementRunner::Bubblewrap => true,
            ConfinementRunner::Auto => prefers_bubblewrap(),
        };
        super::linux::prepare(&self.server_id, &self.profile, landlock, self.egress.clone(), by_bubblewrap)
    }

    #[cfg(not(target_os = "linux"))]
    fn prepare(&self) -> io::Result<PreparedChild> {
        let text =
            "it must be confined, which only Linux can do; confinement.mode = \"off\" starts it without";
        Err(io::Error::new(io::ErrorKind::Unsupported, text))
    }
}
