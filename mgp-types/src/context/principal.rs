//! Who a call is made for.

use serde::{Deserialize, Serialize};
use std::{fmt, sync::Arc};

/// Who a call is made for: bound to the authenticated session, never read from a request.
///
/// A clone is cheap.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Principal(Arc<Inner>);

#[derive(PartialEq, Eq, Hash)]
struct Inner {
    id: Box<str>,
    actor: ActorType,
    admin: bool,
}

impl Principal {
    /// An agent: it has the rights that were granted to it, and no others.
    #[must_use]
    pub fn agent(id: &str) -> Self {
        Self::new(id, ActorType::Agent, false)
    }

    /// A human who approves. Has the admin role.
    #[must_use]
    pub fn operator(id: &str) -> Self {
        Self::new(id, ActorType::Operator, true)
    }

    /// Any kind of principal.
    #[must_use]
    pub fn new(id: &str, actor: ActorType, admin: bool) -> Self {
        Self(Arc::new(Inner { id: id.into(), actor, admin }))
    }

    /// The same principal with the admin role.
    #[must_use]
    pub fn with_admin(&self) -> Self {
        Self::new(self.id(), self.actor(), true)
    }

    /// The id, such as `agent.default`.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.0.id
    }

    /// What kind of actor it is.
    #[must_use]
    pub fn actor(&self) -> ActorType {
        self.0.actor
    }

    /// Whether it has the admin role, which `mgp/access/*` asks for.
    #[must_use]
    pub fn is_admin(&self) -> bool {
        self.0.admin
    }
}

impl fmt::Debug for Principal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Principal({}, {:?}{})",
            self.id(),
            self.actor(),
            if self.is_admin() { ", admin" } else { "" }
        )
    }
}

/// What kind of actor did something (§6.3 `actor.type`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ActorType {
    /// A program that calls tools.
    Agent,
    /// A human who approves.
    Operator,
    /// The gateway itself.
    Kernel,
    /// A tool server; what it says of itself is not trusted.
    Server,
    /// An agent that acts for another.
    Delegated,
}
