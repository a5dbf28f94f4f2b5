//! The enforcement of a profile on a child process.

use super::{ConfinementMode, ConfinementRunner, LandlockAbi, Profile};
#[cfg(unix)]
use mgp_transport::seam::ServeEgress;
use mgp_transport::seam::{ChildSetup, PreparedChild};
use std::io;
#[cfg(unix)]
use std::sync::Arc;

/// The enforcement of a profile on a child process. If the profile's mode requires no confinement, only its limits are enforced.
#[derive(Debug, Clone)]
pub struct Confinement {
    #[cfg_attr(not(unix), expect(dead_code))]
    server_id: String,
    profile: Profile,
    #[cfg_attr(not(target_os = "linux"), expect(dead_code))]
    landlock: LandlockAbi,
    #[cfg(unix)]
    egress: Option<Arc<dyn ServeEgress>>,
}

impl Confinement {
    /// Creates the enforcement of a profile; `None` if this system has nothing to enforce.
    #[must_use]
    pub fn new(server_id: impl Into<String>, profile: Profile) -> Option<Self> {
        let server_id = server_id.into();
        let has_runner = cfg!(any(target_os = "linux", target_os = "macos"))
            || (cfg!(unix) && profile.runner == ConfinementRunner::Container);
        match profile.mode {
            ConfinementMode::Off if profile.limits.is_empty() => None,
            ConfinementMode::Off if cfg!(not(target_os = "linux")) => {
                tracing::warn!(
                    server = server_id,
                    "its limits of resources are not set: only Linux can do so"
                );
                None
            }
            ConfinementMode::BestEffort if !has_runner => {
                tracing::warn!(server = server_id, "not confined: only Linux and macOS can do so");
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

    /// Prepares a start by the runner of this system itself.
    #[cfg(target_os = "linux")]
    fn prepare_on_system(&self) -> io::Result<PreparedChild> {
        let by_bubblewrap = match self.profile.runner {
            ConfinementRunner::Native | ConfinementRunner::Container => false,
            ConfinementRunner::Bubblewrap => true,
            ConfinementRunner::Auto => super::linux::prefers_bubblewrap(),
        };
        let landlock = LandlockAbi::of_machine().map(|machine| machine.min(self.landlock));
        super::linux::prepare(&self.server_id, &self.profile, landlock, self.egress.clone(), by_bubblewrap)
    }

    #[cfg(target_os = "macos")]
    fn prepare_on_system(&self) -> io::Result<PreparedChild> {
        match self.profile.runner {
            ConfinementRunner::Bubblewrap => Err(unsupported("by bubblewrap, which only Linux has")),
            _ => super::seatbelt::prepare(&self.server_id, &self.profile, self.egress.clone()),
        }
    }

    #[cfg(not(any(target_os = "linux", target_os = "macos")))]
    #[expect(clippy::unused_self, reason = "other systems use it")]
    fn prepare_on_system(&self) -> io::Result<PreparedChild> {
        Err(unsupported("which only Linux and macOS can do"))
    }
}

#[cfg(not(target_os = "linux"))]
fn unsupported(part: &str) -> io::Error {
    let text = format!("it must be confined, {part}; confinement.mode = \"off\" starts it without");
    io::Error::new(io::ErrorKind::Unsupported, text)
}

impl ChildSetup for Confinement {
    fn prepare(&self) -> io::Result<PreparedChild> {
        #[cfg(target_os = "linux")]
        if self.profile.mode == ConfinementMode::Off {
            return Ok(super::linux::prepare_limits(self.profile.limits));
        }
        #[cfg(unix)]
        if self.profile.runner == ConfinementRunner::Container {
            return super::container::prepare(&self.server_id, &self.profile, self.egress.clone());
        }
        self.prepare_on_system()
    }
}
