//! The right to register servers.

use super::Registration;
use mgp_types::{context::Principal, error::ErrorCode, rpc::ErrorObject};
use std::{collections::BTreeSet, sync::Arc};

/// The ids of the agents that may register servers without the admin role. Empty by default.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Registrars(Arc<BTreeSet<String>>);

/// The right by which a caller registers servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RegistrationRight {
    /// The admin role: any free id.
    Admin,
    /// The right of an agent in [`Registrars`]: only an id that no other right refers to yet.
    Agent,
}

impl<S: Into<String>> FromIterator<S> for Registrars {
    fn from_iter<I: IntoIterator<Item = S>>(agents: I) -> Self {
        Self(Arc::new(agents.into_iter().map(Into::into).collect()))
    }
}

impl Registrars {
    /// Returns the right by which a caller registers servers.
    ///
    /// # Errors
    /// 1000 if the caller has no right to register.
    pub fn may_register(&self, caller: &Principal) -> Result<RegistrationRight, ErrorObject> {
        if caller.is_admin() {
            return Ok(RegistrationRight::Admin);
        }
        // If a caller acts for others, each of them needs the right. Scopes of an API key never grant it.
        if caller.key_scopes().is_none() && caller.parties().all(|agent| self.0.contains(agent)) {
            return Ok(RegistrationRight::Agent);
        }
        Err(ErrorCode::PermissionDenied.error(format!(
            "{:?} may not register servers: expected the admin role, or an agent of access.registrars, with no API key or one without scopes",
            caller.id()
        )))
    }

    /// Checks that a caller may remove a registered server: any server with the admin role, and only its own as one of the
    /// agents.
    ///
    /// # Errors
    /// 1000 if the caller may not.
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
