//! The rights that valid credentials grant.

use super::{Authenticate, CredentialError, Scopes};
use mgp_types::context::Principal;
use std::{sync::Arc, time::SystemTime};

/// The principal and the rights of valid credentials.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Authentication {
    /// The principal that the request is made for.
    pub principal: Principal,
    /// The scopes of the credentials.
    pub scopes: Scopes,
    /// The time at which the credentials expire; `None` if they do not expire.
    pub expires: Option<SystemTime>,
    /// The name of the API key; `None` for credentials of another kind, and for keys without a name.
    pub key: Option<Arc<str>>,
}

impl Authentication {
    /// Creates the rights of a principal whose credentials have no scopes and do not expire.
    #[must_use]
    pub fn new(principal: Principal) -> Self {
        Self { principal, scopes: Scopes::default(), expires: None, key: None }
    }
}

/// The rights of a request's credentials, and their verifier. They are in the context of the request's message, so that a layer
/// can check the scopes of a tool once the tool is resolved.
///
/// The context has none if the caller was not authenticated by an [`Authenticate`] or by an API key that has a name, as on stdio.
#[derive(Debug, Clone)]
pub struct TokenGrant {
    who: Authentication,
    authority: Arc<dyn Authenticate>,
}

impl TokenGrant {
    /// Creates a grant from the result of a verifier.
    #[must_use]
    pub fn new(who: Authentication, authority: Arc<dyn Authenticate>) -> Self {
        Self { who, authority }
    }

    /// Returns the principal and the rights of the credentials.
    #[must_use]
    pub fn who(&self) -> &Authentication {
        &self.who
    }

    /// Checks that the credentials allow a method, and the tool `name` if the method is `tools/call`.
    ///
    /// # Errors
    /// Returns a [`CredentialError`] with the scopes that are needed.
    pub fn check(&self, method: &str, name: Option<&str>) -> Result<(), CredentialError> {
        self.authority.check(&self.who, method, name)
    }

    /// Checks that the credentials are still valid, before a request that waited continues.
    ///
    /// # Errors
    /// Returns a [`CredentialError`] if the credentials are no longer valid.
    pub fn check_again(&self) -> Result<(), CredentialError> {
        self.authority.check_again(&self.who)
    }
}
