//! The principal that a call is made for.

use super::{KeyScopes, SessionTag};
use serde::{Deserialize, Serialize};
use std::{fmt, sync::Arc};

/// The principal that a call is made for: bound to the authenticated session, never read from a request. A request can only narrow its
/// rights, by the agents [on whose behalf](Self::on_behalf_of) the call is made. So can the API key of the session, by its
/// [scopes](Self::narrowed_to).
///
/// A clone is cheap.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Principal(Arc<Inner>);

#[derive(Clone, PartialEq, Eq, Hash)]
struct Inner {
    id: Box<str>,
    actor: ActorType,
    admin: bool,
    /// The ids of the agents that the principal acts for, in the order in which the request names them.
    delegation: Box<[Box<str>]>,
    /// The session in which the principal acts, if relevant.
    session: Option<SessionTag>,
    /// The scopes of the API key, or `None` if none narrow the rights.
    key: Option<Arc<KeyScopes>>,
}

impl Principal {
    /// Creates an agent. An agent has the rights that were granted to it, and no others.
    #[must_use]
    pub fn agent(id: &str) -> Self {
        Self::new(id, ActorType::Agent, false)
    }

    /// Creates a human who approves. An operator has the admin role.
    #[must_use]
    pub fn operator(id: &str) -> Self {
        Self::new(id, ActorType::Operator, true)
    }

    /// Creates a principal of any kind.
    #[must_use]
    pub fn new(id: &str, actor: ActorType, admin: bool) -> Self {
        let delegation = Box::default();
        Self(Arc::new(Inner { id: id.into(), actor, admin, delegation, session: None, key: None }))
    }

    /// Returns the same principal acting on behalf of a chain of agents (§5): it has only the rights that it and each
    /// of the agents have, and no admin role.
    ///
    /// ```
    /// use mgp_types::context::{ActorType, Principal};
    /// let clerk = Principal::operator("ann").on_behalf_of(["agent.clerk"]);
    /// assert_eq!((clerk.id(), clerk.actor(), clerk.is_admin()), ("ann", ActorType::Delegated, false));
    /// assert_eq!(clerk.parties().collect::<Vec<_>>(), ["ann", "agent.clerk"]);
    /// assert_eq!(clerk.caller(), Principal::operator("ann"));
    /// ```
    #[must_use]
    pub fn on_behalf_of<I: IntoIterator<Item: Into<Box<str>>>>(&self, agents: I) -> Self {
        self.with(|inner| inner.delegation = agents.into_iter().map(Into::into).collect())
    }

    /// Returns the same principal acting in one session: it also has the rights to tools that belong only to this session (§16.6).
    #[must_use]
    pub fn in_session(&self, session: SessionTag) -> Self {
        self.with(|inner| inner.session = Some(session))
    }

    /// Returns the same principal with an API key's scopes, which narrow its rights: it has no admin role.
    ///
    /// ```
    /// use mgp_types::context::{KeyScopes, Principal};
    /// let ci = Principal::operator("ann").narrowed_to(KeyScopes::new("ci", "read:github"));
    /// assert!(!ci.is_admin() && !ci.with_admin().is_admin() && ci.caller() == ci);
    /// assert!(!ci.is_same_caller(&Principal::operator("ann")));
    /// ```
    #[must_use]
    pub fn narrowed_to(&self, key: KeyScopes) -> Self {
        self.with(|inner| inner.key = Some(Arc::new(key)))
    }

    /// Returns the scopes of the principal's API key, or `None` if none narrow its rights.
    #[must_use]
    pub fn key_scopes(&self) -> Option<&KeyScopes> {
        self.0.key.as_deref()
    }

    fn with(&self, change: impl FnOnce(&mut Inner)) -> Self {
        let mut inner = Inner::clone(&self.0);
        change(&mut inner);
        Self(Arc::new(inner))
    }

    /// Returns the session in which the principal acts, or `None` if it has no rights by its session.
    #[must_use]
    pub fn session(&self) -> Option<SessionTag> {
        self.0.session
    }

    /// Returns the principal without the agents that it acts for, and without its session: the owner of its session, and of everything
    /// that belongs to the session.
    #[must_use]
    pub fn caller(&self) -> Self {
        if !self.is_delegated() && self.0.session.is_none() {
            return self.clone();
        }
        self.with(|inner| (inner.delegation, inner.session) = (Box::default(), None))
    }

    /// Returns whether two principals are the same caller, regardless of the agents that either acts for. The same agent with other
    /// [scopes](Self::key_scopes) is a different caller.
    #[must_use]
    pub fn is_same_caller(&self, other: &Self) -> bool {
        let caller = |of: &Self| (of.0.actor, of.0.admin);
        self.0.id == other.0.id && caller(self) == caller(other) && self.0.key == other.0.key
    }

    /// Returns a text that two principals share if they are the [same caller](Self::is_same_caller) and act for the same agents, and only then.
    /// Every process returns the same text.
    ///
    /// ```
    /// use mgp_types::context::{KeyScopes, Principal};
    /// let ann = Principal::agent("ann");
    /// assert_eq!(ann.identity(), r#"["ann","agent",false,[],null]"#);
    /// assert_ne!(ann.identity(), ann.on_behalf_of(["bob"]).identity());
    /// assert_ne!(ann.identity(), ann.narrowed_to(KeyScopes::new("ci", "")).identity());
    /// ```
    #[must_use]
    pub fn identity(&self) -> String {
        let Inner { id, actor, admin, delegation, session: _, key } = &*self.0;
        // Strings always serialize.
        serde_json::to_string(&(id, actor, admin, delegation, key.as_deref())).unwrap_or_default()
    }

    /// Returns whether the principal acts for agents.
    #[must_use]
    pub fn is_delegated(&self) -> bool {
        !self.0.delegation.is_empty()
    }

    /// Returns the ids of the agents that the principal acts for, in the order in which the request names them.
    pub fn delegation(&self) -> impl ExactSizeIterator<Item = &str> {
        self.0.delegation.iter().map(|id| &**id)
    }

    /// Returns the ids of all parties that must have a right for this principal to have it: its own id, then those of
    /// the agents that it acts for.
    pub fn parties(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.id()).chain(self.delegation())
    }

    /// Returns the same principal with the admin role.
    #[must_use]
    pub fn with_admin(&self) -> Self {
        self.with(|inner| inner.admin = true)
    }

    /// Returns the id, such as `agent.default`.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.0.id
    }

    /// Returns the kind of actor, which is [`ActorType::Delegated`] for a principal that acts for agents.
    #[must_use]
    pub fn actor(&self) -> ActorType {
        if self.is_delegated() { ActorType::Delegated } else { self.0.actor }
    }

    /// Returns whether the principal has the admin role, which `mgp/access/*` requires. A principal that acts for
    /// agents, or whose rights a key narrows, never has it.
    #[must_use]
    pub fn is_admin(&self) -> bool {
        self.0.admin && !self.is_delegated() && self.0.key.is_none()
    }
}

impl fmt::Debug for Principal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Principal({}, {:?}", self.id(), self.actor())?;
        if self.is_admin() {
            f.write_str(", admin")?;
        }
        if self.is_delegated() {
            write!(f, " for {:?}", self.0.delegation)?;
        }
        if let Some(key) = self.key_scopes() {
            write!(f, " by {key:?}")?;
        }
        f.write_str(")")
    }
}

/// The kind of an actor (§6.3 `actor.type`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum ActorType {
    /// A program that calls tools.
    Agent,
    /// A human who approves.
    Operator,
    /// The gateway itself.
    Kernel,
    /// A tool server. Its claims about itself are not trusted.
    Server,
    /// An agent that acts for another.
    Delegated,
}
