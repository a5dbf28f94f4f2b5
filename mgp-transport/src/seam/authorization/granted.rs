//! What credentials that count say.

use super::{Authenticate, Denied, Scopes};
use mgp_types::context::Principal;
use std::{sync::Arc, time::SystemTime};

/// What credentials that count say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Authenticated {
    /// Who the request is made for.
    pub principal: Principal,
    /// What it may do.
    pub scopes: Scopes,
    /// When the credentials run out; `None` where they do not.
    pub expires: Option<SystemTime>,
}

impl Authenticated {
    /// A principal whose credentials have no scopes and do not run out.
    #[must_use]
    pub fn new(principal: Principal) -> Self {
        Self { principal, scopes: Scopes::default(), expires: None }
    }
}

/// What the credentials of a request say, and who said so. It stands in the context of the request's message, so that a layer
/// can ask for the scopes of a tool once it knows which tool is meant.
///
/// There is none where the caller was not authenticated by an [`Authenticate`]: with an API key, or on stdio.
#[derive(Debug, Clone)]
pub struct Granted {
    who: Authenticated,
    authority: Arc<dyn Authenticate>,
}

impl Granted {
    /// What an authority says.
    #[must_use]
    pub fn new(who: Authenticated, authority: Arc<dyn Authenticate>) -> Self {
        Self { who, authority }
    }

    /// What the credentials say.
    #[must_use]
    pub fn who(&self) -> &Authenticated {
        &self.who
    }

    /// Whether they allow a method, and a tool where the method is `tools/call`.
    ///
    /// # Errors
    /// [`Denied`], with the scopes that are needed.
    pub fn check(&self, method: &str, name: Option<&str>) -> Result<(), Denied> {
        self.authority.check(&self.who, method, name)
    }
}
