//! Policies that decide where no rule does.

use mgp_types::{
    access::AccessDecision,
    context::{ToolId, TrustLevel},
    json::RawJson,
    tool_security::ToolProfile,
};
use std::{fmt, sync::Arc, time::SystemTime};

/// A policy that decides where no rule does, before the server's default policy.
///
/// Rules always come first, so that a policy can neither allow what a rule denies nor deny what a rule allows. With the feature `cedar`,
/// `CedarPolicies` reads one from a file.
///
/// ```
/// use mgp_security::access::{AccessPolicy, AccessRequest, PolicyDecision};
/// use mgp_types::{access::AccessDecision, context::RiskLevel};
///
/// /// Lets every agent use safe tools.
/// #[derive(Debug)]
/// struct SafeTools;
///
/// impl AccessPolicy for SafeTools {
///     fn decide(&self, request: &AccessRequest<'_>) -> Option<PolicyDecision> {
///         let safe = request.tool?.profile?.risk == RiskLevel::Safe;
///         safe.then(|| PolicyDecision::new(AccessDecision::Allow, "safe", "the tool is safe"))
///     }
/// }
/// ```
pub trait AccessPolicy: fmt::Debug + Send + Sync + 'static {
    /// Returns the decision, or `None` if the policy does not apply, so that the server's default policy decides.
    fn decide(&self, request: &AccessRequest<'_>) -> Option<PolicyDecision>;

    /// Returns whether the policy allows something to an agent by its name. An agent that neither the configuration nor a rule nor the
    /// policy names is denied everything, and the policy is not evaluated.
    fn names_agent(&self, agent_id: &str) -> bool {
        let _ = agent_id;
        false
    }
}

impl<P: AccessPolicy + ?Sized> AccessPolicy for Arc<P> {
    fn decide(&self, request: &AccessRequest<'_>) -> Option<PolicyDecision> {
        (**self).decide(request)
    }

    fn names_agent(&self, agent_id: &str) -> bool {
        (**self).names_agent(agent_id)
    }
}

/// A request that a policy decides on.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct AccessRequest<'a> {
    /// The agent.
    pub agent_id: &'a str,
    /// The names of the agent's roles.
    pub roles: &'a [Arc<str>],
    /// The server.
    pub server_id: &'a str,
    /// The trust in the server.
    pub trust: TrustLevel,
    /// True if the server was registered while the kernel runs. A policy cannot allow anything there.
    pub registered: bool,
    /// The tool, if one is called; `None` for the server's resources, prompts and completions, which a policy can deny but not allow.
    pub tool: Option<RequestedTool<'a>>,
    /// The time of the decision.
    pub time: SystemTime,
}

/// A tool that a policy decides on.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct RequestedTool<'a> {
    /// The server's own name for the tool.
    pub name: &'a str,
    /// The profile of the tool; `None` for an unknown tool.
    pub profile: Option<&'a ToolProfile>,
    /// The arguments of the call.
    pub arguments: CallArguments<'a>,
}

/// The arguments of a call that the policy decides on.
#[derive(Debug, Clone, Copy)]
pub enum CallArguments<'a> {
    /// The arguments of one call; `None` for a call without any.
    Given(Option<&'a RawJson>),
    /// The arguments are not known yet: the tool is listed or searched. It is shown if any arguments at all are allowed.
    Any,
}

/// The decision of a policy.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PolicyDecision {
    /// The decision.
    pub decision: AccessDecision,
    /// The name of the policy that decided.
    pub policy: String,
    /// The reason to show to people, as a part of a sentence: "policy `office-hours` (access.cedar:3) forbids it".
    pub reason: String,
}

impl PolicyDecision {
    /// Creates the decision of the policy with a name, for a reason.
    pub fn new(decision: AccessDecision, policy: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { decision, policy: policy.into(), reason: reason.into() }
    }
}

/// The profiles that a policy reads for a tool that is not called yet.
pub trait ToolProfiles: fmt::Debug + Send + Sync + 'static {
    /// Returns the profile of a tool, or `None` for an unknown tool.
    fn profile(&self, tool: &ToolId) -> Option<Arc<ToolProfile>>;
}

/// A use of a tool, to decide on.
#[derive(Debug, Clone, Copy)]
pub(super) struct ToolUse<'a> {
    pub(super) name: &'a str,
    pub(super) arguments: CallArguments<'a>,
    /// The profile; `None` if it has to be looked up.
    pub(super) profile: Option<&'a ToolProfile>,
}

impl<'a> ToolUse<'a> {
    /// Returns the use of a tool with any arguments.
    pub(super) fn any(name: &'a str) -> Self {
        Self { name, arguments: CallArguments::Any, profile: None }
    }
}

#[cfg(test)]
#[cfg(feature = "full")]
mod tests {
    use super::*;
    use crate::access::{AccessControl, SqlAccessStore, SqlStore};
    use mgp_types::access::DefaultPolicy;

    #[derive(Debug)]
    struct OpenPolicy;

    impl AccessPolicy for OpenPolicy {
        fn decide(&self, _: &AccessRequest<'_>) -> Option<PolicyDecision> {
            Some(PolicyDecision::new(AccessDecision::Allow, "everything", "everything is allowed"))
        }
    }

    #[tokio::test]
    async fn a_policy_without_a_principal_decides_only_for_known_agents() {
        let control = AccessControl::open(Arc::new(SqlAccessStore::in_memory())).await.unwrap();
        control.set_server("files", DefaultPolicy::OptIn);
        control.add_agent("ann");
        let shared = Arc::new(OpenPolicy);
        control.set_policy(Arc::new(shared));
        assert!(control.query("ann", "files", Some("read")).allows());
        assert!(!control.query("eve", "files", Some("read")).allows());
    }
}
