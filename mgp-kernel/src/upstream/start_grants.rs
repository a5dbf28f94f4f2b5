//! The start of a server's process: the approvals, and the last refused connection since.

#[cfg(feature = "child")]
use super::Endpoint;
use super::ServerSpec;
use mgp_security::confine::ConfinementMode;
#[cfg(feature = "child")]
use mgp_security::confine::GrantedPermission;
#[cfg(all(unix, feature = "child"))]
use mgp_security::confine::LastRefusal;
use mgp_types::permission::{GrantScope, Permission};
use parking_lot::Mutex;

/// The approvals at the start of a server's process, each with its limits, and the last refused connection since. There are none before the
/// first start.
#[derive(Debug, Default)]
pub(crate) struct StartGrants {
    grants: Mutex<Vec<(Permission, Option<GrantScope>)>>,
    #[cfg(feature = "child")]
    pub(super) egress: EgressOfStart,
}

impl StartGrants {
    /// Sets the approvals at the start of the process.
    #[cfg(feature = "child")]
    pub(super) fn note(&self, granted: Vec<GrantedPermission>) {
        *self.grants.lock() = scopes(granted);
    }

    /// Returns whether these approvals are those at the start of the process.
    #[cfg(feature = "child")]
    pub(super) fn are(&self, granted: Vec<GrantedPermission>) -> bool {
        *self.grants.lock() == scopes(granted)
    }

    /// Checks that a server's process has the limits of an approval.
    ///
    /// # Errors
    /// The second half of a sentence with the reason why it does not.
    pub(crate) fn enforce(
        &self,
        spec: &ServerSpec,
        permission: &Permission,
        scope: &GrantScope,
    ) -> Result<(), &'static str> {
        #[cfg(feature = "child")]
        let is_child = matches!(spec.endpoint, Endpoint::Child(_) | Endpoint::Commands(_));
        #[cfg(not(feature = "child"))]
        let is_child = false;
        let mode = spec.confinement.mode_for(spec.trust);
        if !is_child || mode != ConfinementMode::Require {
            return Err(
                "which nothing enforces: confinement.mode = \"require\" does, for a program that the gateway starts",
            );
        }
        let grants = self.grants.lock();
        let mut started = grants.iter().filter(|(started, _)| started == permission);
        // Without the permission at its start, the process cannot use it at all.
        if started.all(|(_, limits)| limits.as_ref() == Some(scope)) {
            return Ok(());
        }
        Err("which holds from its next start")
    }
}

#[cfg(feature = "child")]
fn scopes(granted: Vec<GrantedPermission>) -> Vec<(Permission, Option<GrantScope>)> {
    granted.into_iter().map(|granted| (granted.permission.into(), granted.scope)).collect()
}

/// The last refused connection of a server's process since its last start.
#[cfg(feature = "child")]
#[derive(Debug, Default)]
pub(super) struct EgressOfStart {
    #[cfg(unix)]
    last: Mutex<LastRefusal>,
}

#[cfg(feature = "child")]
impl EgressOfStart {
    /// Forgets the refusals of the previous process, which may still arrive, and returns the slot for those of the next
    /// one.
    #[cfg(unix)]
    pub(super) fn fresh(&self) -> LastRefusal {
        let fresh = LastRefusal::default();
        *self.last.lock() = fresh.clone();
        fresh
    }

    /// Takes the last refusal.
    pub(super) fn take(&self) -> Option<String> {
        #[cfg(unix)]
        return self.last.lock().take();
        #[cfg(not(unix))]
        None
    }
}
