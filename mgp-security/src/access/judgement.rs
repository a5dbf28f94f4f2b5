//! The decision of the rules, and the denial of a tool.

use super::{
    PolicyDecision,
    rule::{Rule, RuleOrigin},
};
use mgp_types::{
    access::{AccessDecision, AccessEntry, AccessSource, DefaultPolicy},
    error::ErrorCode,
    json::RawJson,
    rpc::ErrorObject,
};
use std::sync::Arc;

/// The decision of the rules on an agent's use of a tool or a server, with the rule that decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    /// The decision.
    pub decision: AccessDecision,
    /// The kind of rule that decided. A decision of the [policy](super::AccessPolicy) is reported as the default policy's.
    pub source: AccessSource,
    /// The rule that decided. `None` if a role's rule decided, the default policy, or a rule that
    /// [cannot be read](super::UnreadableRule).
    pub entry: Option<Arc<AccessEntry>>,
    /// The role whose rule decided, if a role's rule did.
    pub role: Option<Arc<str>>,
    /// The decision of the [policy](super::AccessPolicy), if it decided.
    pub policy: Option<Arc<PolicyDecision>>,
}

/// The denial of a tool to a principal, or to an agent that the principal acts for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccessDenial {
    /// The agent that may not use the tool.
    pub agent_id: String,
    /// The judgement that denies the tool.
    pub judgement: Judgement,
}

impl AccessDenial {
    /// Returns the message that refuses a call of the tool under the name `called_as`.
    #[must_use]
    pub fn of_call(&self, called_as: &str) -> String {
        let Self { agent_id, judgement } = self;
        match &judgement.policy {
            Some(policy) => format!("agent {agent_id:?} may not call tool {called_as:?}: {}", policy.reason),
            None => {
                format!(
                    "agent {agent_id:?} may not call tool {called_as:?} (decided by {})",
                    judgement.source
                )
            }
        }
    }

    /// Returns the error that refuses a call of the tool under the name `called_as`. If a policy decided, the error's data names the
    /// agent and the policy.
    #[must_use]
    pub fn to_error(&self, called_as: &str) -> ErrorObject {
        let error = ErrorCode::AccessDenied.error(self.of_call(called_as));
        let Some(policy) = &self.judgement.policy else { return error };
        let data = serde_json::json!({"agent_id": self.agent_id, "policy": policy.policy});
        // Only texts: serialization cannot fail.
        RawJson::from_value(&data).map_or(error.clone(), |data| error.with_data(data))
    }
}

impl Judgement {
    /// Returns `true` if the agent may use the tool or the server.
    #[must_use]
    pub fn allows(&self) -> bool {
        self.decision == AccessDecision::Allow
    }

    pub(super) fn by_default(policy: DefaultPolicy) -> Self {
        Self::without_rule(policy.decision(), AccessSource::DefaultPolicy)
    }

    pub(super) fn by_unreadable(source: AccessSource) -> Self {
        Self::without_rule(AccessDecision::Deny, source)
    }

    pub(super) fn by_policy(decision: PolicyDecision) -> Self {
        let judgement = Self::without_rule(decision.decision, AccessSource::DefaultPolicy);
        Self { policy: Some(Arc::new(decision)), ..judgement }
    }

    fn without_rule(decision: AccessDecision, source: AccessSource) -> Self {
        Self { decision, source, entry: None, role: None, policy: None }
    }
}

impl From<&Rule> for Judgement {
    fn from(rule: &Rule) -> Self {
        let (entry, role) = match &rule.origin {
            RuleOrigin::Entry(entry) => (Some(entry.clone()), None),
            RuleOrigin::Role(role, _) => (None, Some(role.clone())),
        };
        Self { decision: rule.decision, source: rule.source(), entry, role, policy: None }
    }
}
