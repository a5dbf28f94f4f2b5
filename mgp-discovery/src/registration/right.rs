//! Who may register servers.

use super::Registration;
use mgp_types::{context::Principal, error::ErrorCode, rpc::ErrorObject};
use std::{collections::BTreeSet, sync::Arc};

/// The agents that may register servers without the admin role, by id. None where nothing is said.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Registrars(Arc<BTreeSet<String>>);

/// In which right somebody registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RegistrationRight {
    /// With the admin role: any id that is free.
    Admin,
    /// As an agent that may: only an id that no right hangs on yet.
    Agent,
}

impl<S: Into<String>> FromIterator<S> for Registrars {
    fn from_iter<I: IntoIterator<Item = S>>(agents: I) -> Self {
        Self(Arc::new(agents.into_iter().map(Into::into).collect()))
    }
}

impl Registrars {
    /// In which right a caller registers.
    ///
    /// # Errors
    /// 1000 where it has none.
    pub fn may_register(&self, caller: &Principal) -> Result<RegistrationRight, ErrorObject> {
        if caller.is_admin() {
            return Ok(RegistrationRight::Admin);
        }
        // Of one that acts for others, everybody needs it.
        if caller.parties().all(|agent| self.0.contains(agent)) {
            return Ok(RegistrationRight::Agent);
        }
        Err(ErrorCode::PermissionDenied.error(format!(
            "{:?} may not register servers: expected the admin role, or an agent of access.registrars",
            caller.id()
        )))
    }

    /// Whether a caller may take a registered server away: any of them with the admin role, an agent that may register its own.
    ///
    /// # Errors
    /// 1000 where it may not.
    pub fn may_deregister(&self, caller: &Principal, found: &Registration) -> Result<(), ErrorObject> {
        match self.may_register(caller)? {
            RegistrationRight::Admin => Ok(()),
            RegistrationRight::Agent if found.is_own_of(caller) => Ok(()),
            RegistrationRight::Agent => Err(ErrorCode::PermissionDenied.error(format!(
                "{:?} may not deregister {:?}: expected a server that it registered itself, or the admin role",
                caller.id(),
                found.id()
            ))),
        }
    }
}
