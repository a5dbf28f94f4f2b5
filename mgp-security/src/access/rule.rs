//! One rule, of an agent or of a role.

use crate::name_pattern::{NamePattern, Precision};
use jiff::Timestamp;
use mgp_types::access::{AccessDecision, AccessEntry, AccessSource, EntryType, RoleRule};
use std::sync::Arc;

/// A rule with its names as patterns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Rule {
    pub(super) origin: RuleOrigin,
    pub(super) server: NamePattern,
    /// `None` for a rule about a whole server.
    pub(super) tool: Option<NamePattern>,
    pub(super) decision: AccessDecision,
    pub(super) expires: Option<Timestamp>,
}

/// The origin of a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum RuleOrigin {
    /// A stored rule.
    Entry(Arc<AccessEntry>),
    /// A rule of the role with this name.
    Role(Arc<str>, Arc<RoleRule>),
}

/// The precedence of a rule among the rules of one agent, or of that agent's roles. A rule for tools comes before one for servers.
/// Then the more precise name of a tool decides, then that of the server, then a denial before an allowance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Rank {
    tool: Option<Precision>,
    server: Precision,
    denies: bool,
}

/// The time until which at least one of an agent's rules allows something. It is computed once, so that a call need not read every rule.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum AllowedUntil {
    #[default]
    Never,
    Until(Timestamp),
    Always,
}

impl Rule {
    /// Returns `None` for an entry without a permission, or one that allows until an unreadable time.
    pub(super) fn of_entry(entry: AccessEntry) -> Option<Self> {
        let decision = entry.permission?;
        let expires = match entry.expires_at.get() {
            None => None,
            // If the end cannot be read, a rule that allows has expired, and one that denies stays in force.
            Some(text) => match (text.parse(), decision) {
                (Ok(time), _) => Some(time),
                (Err(_), AccessDecision::Allow) => return None,
                (Err(_), AccessDecision::Deny) => None,
            },
        };
        let tool = match entry.entry_type {
            EntryType::ServerGrant => None,
            EntryType::ToolGrant => Some(NamePattern::new(entry.tool_name.get()?)),
        };
        let server = NamePattern::new(&entry.server_id);
        Some(Self { origin: RuleOrigin::Entry(Arc::new(entry)), server, tool, decision, expires })
    }

    pub(super) fn of_role(role: Arc<str>, rule: &RoleRule) -> Self {
        Self {
            origin: RuleOrigin::Role(role, Arc::new(rule.clone())),
            server: NamePattern::new(&rule.server_id),
            tool: rule.tool_name.as_deref().map(NamePattern::new),
            decision: rule.permission,
            expires: None,
        }
    }

    pub(super) fn rank(&self) -> Rank {
        Rank {
            tool: self.tool.as_ref().map(NamePattern::precision),
            server: self.server.precision(),
            denies: self.decision == AccessDecision::Deny,
        }
    }

    pub(super) fn source(&self) -> AccessSource {
        if self.tool.is_some() { AccessSource::ToolGrant } else { AccessSource::ServerGrant }
    }

    /// Returns whether the rule can count for a server that was registered while the kernel ran. An agent chose that server's id, so a
    /// rule that allows must name the server exactly, and must have been made for it.
    pub(super) fn reaches_registered(&self) -> bool {
        let is_entry = matches!(self.origin, RuleOrigin::Entry(_));
        self.decision == AccessDecision::Deny || is_entry && self.server.is_exact()
    }

    pub(super) fn allowed(&self) -> AllowedUntil {
        match (self.decision, self.expires) {
            (AccessDecision::Deny, _) => AllowedUntil::Never,
            (AccessDecision::Allow, Some(end)) => AllowedUntil::Until(end),
            (AccessDecision::Allow, None) => AllowedUntil::Always,
        }
    }

    /// Returns whether the rule has not expired. `now` is called only if the rule can expire.
    pub(super) fn holds(&self, now: impl FnOnce() -> Timestamp) -> bool {
        self.expires.is_none_or(|end| now() < end)
    }
}

impl AllowedUntil {
    pub(super) fn holds(self, now: impl FnOnce() -> Timestamp) -> bool {
        match self {
            Self::Never => false,
            Self::Until(end) => now() < end,
            Self::Always => true,
        }
    }
}

/// Returns whether a rule can be read and has not expired.
pub(super) fn is_valid(entry: &AccessEntry) -> bool {
    Rule::of_entry(entry.clone()).is_some_and(|rule| rule.holds(Timestamp::now))
}
