//! The rules of limits.

use super::CallUse;
use crate::name_pattern::{NamePattern, Precision};
use std::{
    num::{NonZeroU32, NonZeroU64},
    sync::Arc,
};

/// The subject whose calls a rule counts. In the names, `*` stands for any text; each name that a pattern matches is counted separately.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LimitedParty {
    /// A calling agent. Agents on whose behalf it calls do not count.
    Agent(Arc<str>),
    /// An API key, by its name.
    Key(Arc<str>),
    /// A server, whose tools count together.
    Server(Arc<str>),
    /// A tool of a server.
    Tool {
        /// The server.
        server: Arc<str>,
        /// The tool, by its server's own name.
        tool: Arc<str>,
    },
}

/// A limit on the calls of some callers, or to some tools.
///
/// ```
/// use mgp_security::limits::{LimitRule, LimitedParty};
///
/// let burst = LimitRule::new(LimitedParty::Agent("ci-*".into())).per_minute(120.try_into()?).burst(10.try_into()?);
/// let exports = LimitRule::new(LimitedParty::Server("billing".into())).per_agent().per_minute(2.try_into()?);
/// # Ok::<(), std::num::TryFromIntError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LimitRule {
    pub(super) party: LimitedParty,
    pub(super) per_agent: bool,
    pub(super) per_minute: Option<NonZeroU32>,
    pub(super) burst: Option<NonZeroU32>,
    pub(super) per_day: Option<NonZeroU64>,
}

/// The bucket of a rule that a call takes from: the names that the rule distinguishes.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub(super) struct BucketKey {
    caller: Option<Box<str>>,
    server: Option<Arc<str>>,
    tool: Option<Arc<str>>,
}

impl BucketKey {
    /// Returns the names of the caller, the server and the tool; empty for those that the rule does not distinguish.
    pub(super) fn names(&self) -> [&str; 3] {
        let Self { caller, server, tool } = self;
        [caller.as_deref(), server.as_deref(), tool.as_deref()].map(Option::unwrap_or_default)
    }
}

/// The names of a rule, prepared for comparison.
#[derive(Debug)]
pub(super) struct Names {
    name: NamePattern,
    /// The pattern of the tool, for a rule on tools.
    tool: Option<NamePattern>,
}

impl LimitRule {
    /// Creates a rule that limits nothing yet.
    #[must_use]
    pub fn new(party: LimitedParty) -> Self {
        Self { party, per_agent: false, per_minute: None, burst: None, per_day: None }
    }

    /// Sets the calls that are allowed a minute. All of them may come at once, unless there is a [`burst`](Self::burst).
    #[must_use]
    pub fn per_minute(mut self, calls: NonZeroU32) -> Self {
        self.per_minute = Some(calls);
        self
    }

    /// Sets the calls that may come at once after a pause.
    #[must_use]
    pub fn burst(mut self, calls: NonZeroU32) -> Self {
        self.burst = Some(calls);
        self
    }

    /// Sets the units that are allowed a day ([`quota`](super::quota)). A call spends one unit, unless its tool costs more.
    #[must_use]
    pub fn per_day(mut self, units: NonZeroU64) -> Self {
        self.per_day = Some(units);
        self
    }

    /// Counts each agent separately, for a rule on servers or tools.
    #[must_use]
    pub fn per_agent(mut self) -> Self {
        self.per_agent = true;
        self
    }

    /// Returns the name of the table in the configuration that has the rule.
    pub(super) const fn table(&self) -> &'static str {
        match &self.party {
            LimitedParty::Agent(_) => "agents",
            LimitedParty::Key(_) => "keys",
            LimitedParty::Server(_) => "servers",
            LimitedParty::Tool { .. } => "tools",
        }
    }

    /// Returns the name of the rule in its table.
    pub(super) fn name(&self) -> String {
        match &self.party {
            LimitedParty::Agent(name) | LimitedParty::Key(name) | LimitedParty::Server(name) => {
                name.to_string()
            }
            LimitedParty::Tool { server, tool } => format!("{server}__{tool}"),
        }
    }

    /// Returns the configuration key of the rule.
    pub(super) fn key(&self) -> String {
        let (table, name) = (self.table(), self.name());
        let is_bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        if !name.is_empty() && name.chars().all(is_bare) {
            format!("limits.{table}.{name}")
        } else {
            format!("limits.{table}.{name:?}")
        }
    }

    /// Returns whether another rule counts the same calls and allows the same number a minute.
    pub(super) fn has_rate_of(&self, other: &Self) -> bool {
        let rate = |rule: &Self| (rule.per_minute, rule.burst, rule.per_agent);
        self.party == other.party && rate(self) == rate(other)
    }

    /// Returns the bucket of a call that the rule counts.
    pub(super) fn bucket(&self, used: &CallUse<'_>) -> BucketKey {
        let agent = self.per_agent.then(|| used.agent.into());
        let server = Some(used.tool.server_id.clone());
        match &self.party {
            LimitedParty::Agent(_) => BucketKey { caller: Some(used.agent.into()), ..BucketKey::default() },
            LimitedParty::Key(_) => BucketKey { caller: used.key.map(Box::from), ..BucketKey::default() },
            LimitedParty::Server(_) => BucketKey { caller: agent, server, tool: None },
            LimitedParty::Tool { .. } => {
                BucketKey { caller: agent, server, tool: Some(used.tool.tool_name.clone()) }
            }
        }
    }

    /// Returns the subject of a call that the rule counts, in words.
    pub(super) fn subject(&self, used: &CallUse<'_>) -> String {
        let (agent, tool) = (used.agent, used.tool);
        let of_agent = if self.per_agent { format!(" for agent {agent:?}") } else { String::new() };
        match &self.party {
            LimitedParty::Agent(_) => format!("agent {agent:?}"),
            LimitedParty::Key(_) => format!("the API key {:?}", used.key.unwrap_or_default()),
            LimitedParty::Server(_) => format!("server {:?}{of_agent}", tool.server_id),
            LimitedParty::Tool { .. } => {
                format!("tool {:?} of server {:?}{of_agent}", tool.tool_name, tool.server_id)
            }
        }
    }

    pub(super) fn names(&self) -> Names {
        match &self.party {
            LimitedParty::Agent(name) | LimitedParty::Key(name) | LimitedParty::Server(name) => {
                Names { name: NamePattern::new(name), tool: None }
            }
            LimitedParty::Tool { server, tool } => {
                Names { name: NamePattern::new(server), tool: Some(NamePattern::new(tool)) }
            }
        }
    }
}

impl Names {
    /// Returns the rank of the rule: if several rules match, the greatest decides.
    pub(super) fn rank(&self) -> (Option<Precision>, Precision) {
        (self.tool.as_ref().map(NamePattern::precision), self.name.precision())
    }

    /// Returns whether the rule counts a call.
    pub(super) fn matches(&self, rule: &LimitRule, used: &CallUse<'_>) -> bool {
        let counted = match &rule.party {
            LimitedParty::Agent(_) => used.agent,
            LimitedParty::Key(_) => match used.key {
                Some(key) => key,
                None => return false,
            },
            LimitedParty::Server(_) | LimitedParty::Tool { .. } => &used.tool.server_id,
        };
        self.name.matches(counted) && self.tool.as_ref().is_none_or(|tool| tool.matches(&used.tool.tool_name))
    }
}
