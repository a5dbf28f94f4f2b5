//! The approvals at the start of a server's process.

use super::Server;
#[cfg(feature = "child")]
use super::{Command, Endpoint};
use mgp_security::confine::ConfinementMode;
#[cfg(feature = "child")]
use mgp_security::confine::GrantedPermission;
#[cfg(feature = "child")]
use mgp_types::lifecycle::ServerState;
use mgp_types::permission::{GrantScope, Permission};
use parking_lot::Mutex;

/// The approvals at the start of a server's process, each with its limits; none before the first start.
#[derive(Debug, Default)]
pub(super) struct StartGrants(Mutex<Vec<(Permission, Option<GrantScope>)>>);

impl StartGrants {
    /// Sets the approvals at the start of the process.
    #[cfg(feature = "child")]
    pub(super) fn note(&self, granted: Vec<GrantedPermission>) {
        let grants = granted.into_iter().map(|granted| (granted.permission.into(), granted.scope));
        *self.0.lock() = grants.collect();
    }

    /// Returns the approvals.
    #[cfg(all(test, unix, feature = "child"))]
    pub(super) fn all(&self) -> Vec<(Permission, Option<GrantScope>)> {
        self.0.lock().clone()
    }
}

impl Server {
    /// Starts a confined server at once that failed to start, or waits to be restarted, if its approvals differ from those at its last start:
    /// it may have failed because of them. A server that is running, unused or stopped by the operator is not changed.
    #[cfg(feature = "child")]
    pub(crate) fn start_with_new_grants(&self) {
        let is_confined =
            self.spec.confinement.mode_for(self.spec.trust) != ConfinementMode::Off && !self.is_starting();
        let has_failed = matches!(self.status().state, ServerState::Error | ServerState::Restarting);
        if !is_confined || !has_failed || self.rights.stopped.has(self.id()) {
            return;
        }
        let granted = self.granted().into_iter().map(|granted| (granted.permission.into(), granted.scope));
        let granted: Vec<(Permission, Option<GrantScope>)> = granted.collect();
        if *self.start_grants.0.lock() == granted {
            return;
        }
        if let Some(place) = self.commands.reserve() {
            tracing::info!(server = self.id(), "started again, because its permissions have changed");
            place.send(Command::Start);
        }
    }

    /// Checks that the server's process has the limits of an approval.
    ///
    /// # Errors
    /// The second half of a sentence with the reason why it does not.
    pub(crate) fn enforces(&self, permission: &Permission, scope: &GrantScope) -> Result<(), &'static str> {
        #[cfg(feature = "child")]
        let is_child = matches!(self.spec.endpoint, Endpoint::Child(_));
        #[cfg(not(feature = "child"))]
        let is_child = false;
        let mode = self.spec.confinement.mode_for(self.spec.trust);
        if !is_child || mode != ConfinementMode::Require {
            return Err(
                "which nothing enforces: confinement.mode = \"require\" does, for a program that the kernel starts",
            );
        }
        let grants = self.start_grants.0.lock();
        let mut started = grants.iter().filter(|(started, _)| started == permission);
        // Without the permission at its start, the process cannot use it at all.
        if started.all(|(_, limits)| limits.as_ref() == Some(scope)) {
            return Ok(());
        }
        Err("which holds from its next start")
    }
}
