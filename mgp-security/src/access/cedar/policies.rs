//! The policies of a file.

use super::{
    CedarError, CedarProblem, arguments,
    bounds::MAX_BYTES,
    load::{self, SCHEMA},
    place::Source,
    request::Facts,
};
use crate::access::{AccessPolicy, AccessRequest, CallArguments, PolicyDecision};
use cedar_policy::{AuthorizationError, Authorizer, Decision, PolicyId, PolicySet, Response};
use mgp_types::access::AccessDecision;
use std::{
    collections::{HashMap, HashSet},
    fmt,
    fs::File,
    io::{self, Read},
    path::Path,
    sync::LazyLock,
};

/// Policies in the language [Cedar](https://docs.cedarpolicy.com), which decide where no rule does.
///
/// A `forbid` that applies denies. Otherwise a `permit` that applies allows. Otherwise the server's default policy decides. A policy that
/// cannot be evaluated denies, for example one that reads an argument missing from the call.
///
#[cfg_attr(feature = "sqlite", doc = "```")]
#[cfg_attr(not(feature = "sqlite"), doc = "```ignore")]
/// use mgp_security::access::{AccessControl, CedarPolicies, SqlStore, SqlAccessStore};
/// use mgp_types::{access::DefaultPolicy, context::{Principal, ToolId}};
/// use std::sync::Arc;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let policies = r#"
///     @id("tmp-only")
///     permit(principal == Agent::"ann", action == Action::"call", resource in Server::"files")
///     when { context.arguments has path && context.arguments.path like "/tmp/*" };
/// "#;
/// let control = AccessControl::open(Arc::new(SqlAccessStore::in_memory())).await?;
/// control.set_server("files", DefaultPolicy::OptIn);
/// control.set_policy(Arc::new(CedarPolicies::parse("access.cedar", policies)?));
/// // The tool is listed, because some calls of it are allowed.
/// assert!(control.check(&Principal::agent("ann"), &ToolId::new("files", "read")).allows());
/// # Ok(())
/// # }
/// ```
pub struct CedarPolicies {
    /// The path of the file, as it was given.
    pub(super) file: String,
    /// The name of the file in reasons.
    name: String,
    pub(super) loaded: LoadedPolicies,
    authorizer: Authorizer,
}

/// Policies that were read and checked.
pub(super) struct LoadedPolicies {
    pub(super) given: PolicySet,
    /// The policies that decide for any arguments.
    pub(super) for_any: PolicySet,
    pub(super) policies: HashMap<PolicyId, NamedPolicy>,
    /// The agents that a `permit` names.
    pub(super) agents: HashSet<String>,
}

/// The name of a policy, and its place in the file.
pub(super) struct NamedPolicy {
    pub(super) name: String,
    pub(super) offset: usize,
    pub(super) line: usize,
    pub(super) column: usize,
    /// True if the policy reads the arguments of calls.
    pub(super) reads_arguments: bool,
}

impl CedarPolicies {
    /// The schema that policies are checked against, in Cedar's own language for schemas.
    pub const SCHEMA: &str = SCHEMA;

    /// Reads policies from a text of at most 1 MiB, which errors and reasons call by `name`.
    ///
    /// # Errors
    /// [`CedarError::Invalid`] with the problems and their places.
    pub fn parse(name: impl Into<String>, text: &str) -> Result<Self, CedarError> {
        let name = name.into();
        let loaded = load::load(&name, text)?;
        let short = name.rsplit(['/', '\\']).next().unwrap_or_default();
        let short = short.to_owned();
        Ok(Self { file: name, name: short, loaded, authorizer: Authorizer::new() })
    }

    /// Reads policies from a file of at most 1 MiB.
    ///
    /// # Errors
    /// [`CedarError`].
    pub fn read(path: &Path) -> Result<Self, CedarError> {
        let failed = |source: io::Error| CedarError::Read { path: path.to_owned(), source };
        let mut bytes = Vec::new();
        // One byte past the limit shows that the file is too large.
        let limit = MAX_BYTES as u64 + 1;
        File::open(path).map_err(failed)?.take(limit).read_to_end(&mut bytes).map_err(failed)?;
        let name = path.display().to_string();
        let text = String::from_utf8(bytes).map_err(|error| {
            let valid = error.utf8_error().valid_up_to();
            let text = String::from_utf8_lossy(&error.as_bytes()[..valid]).into_owned();
            let problem = Source { name: &name, text: &text }.problem(valid, "not UTF-8: expected text");
            CedarError::Invalid(vec![problem])
        })?;
        Self::parse(name, &text)
    }

    fn judge(&self, request: &AccessRequest<'_>) -> Result<Option<PolicyDecision>, String> {
        let given = request.tool.and_then(|tool| match tool.arguments {
            CallArguments::Given(given) => Some(given),
            CallArguments::Any => None,
        });
        let (set, record) = match given {
            Some(given) if self.loaded.policies.values().any(|policy| policy.reads_arguments) => {
                let record = arguments::record(given);
                (&self.loaded.given, Some(record.map_err(|error| format!("the call's arguments: {error}"))?))
            }
            Some(_) => (&self.loaded.given, Some(arguments::empty())),
            None => (&self.loaded.for_any, None),
        };
        let Facts { request, entities } = Facts::new(request, record)?;
        let response = self.authorizer.is_authorized(&request, set, &entities);
        Ok(self.decided(&response, given.is_none()))
    }

    /// Returns the decision of Cedar; `None` if no policy applies. An error in any policy denies.
    fn decided(&self, response: &Response, for_any: bool) -> Option<PolicyDecision> {
        let diagnostics = response.diagnostics();
        let errors = diagnostics.errors().map(|error| match error {
            AuthorizationError::PolicyEvaluationError(error) => {
                (self.named(error.policy_id()), error.inner())
            }
        });
        if let Some((policy, error)) = errors.min_by_key(|(policy, _)| policy.offset) {
            let error: String = error.to_string().chars().take(MAX_ERROR).collect();
            return Some(self.of(policy, AccessDecision::Deny, &format!("cannot be evaluated: {error}")));
        }
        let applied = diagnostics.reason().map(|id| self.named(id)).min_by_key(|policy| policy.offset);
        match (response.decision(), applied) {
            // No policy applies.
            (Decision::Deny, None) => None,
            (Decision::Deny, Some(policy)) => Some(self.of(policy, AccessDecision::Deny, "forbids it")),
            (Decision::Allow, policy) => {
                let policy = policy.unwrap_or(&UNKNOWN);
                let some = if for_any && policy.reads_arguments { " for some arguments" } else { "" };
                Some(self.of(policy, AccessDecision::Allow, &format!("permits it{some}")))
            }
        }
    }

    /// Returns the name of a policy; `"?"` if it has none, so that its decision still counts.
    pub(super) fn named(&self, id: &PolicyId) -> &NamedPolicy {
        self.loaded.policies.get(id).unwrap_or(&UNKNOWN)
    }

    fn of(&self, policy: &NamedPolicy, decision: AccessDecision, does: &str) -> PolicyDecision {
        let NamedPolicy { name, line, .. } = policy;
        PolicyDecision::new(decision, name, format!("policy {name:?} ({}:{line}) {does}", self.name))
    }
}

/// The name of a policy that has none.
static UNKNOWN: LazyLock<NamedPolicy> = LazyLock::new(|| NamedPolicy {
    name: "?".to_owned(),
    offset: usize::MAX,
    line: 0,
    column: 0,
    reads_arguments: true,
});

/// The most characters of an evaluation's error that are shown.
const MAX_ERROR: usize = 300;

impl AccessPolicy for CedarPolicies {
    fn decide(&self, request: &AccessRequest<'_>) -> Option<PolicyDecision> {
        self.judge(request).unwrap_or_else(|error| {
            let reason = format!("the policies of {} cannot judge it: {error}", self.name);
            Some(PolicyDecision::new(AccessDecision::Deny, &self.name, reason))
        })
    }

    fn names_agent(&self, agent_id: &str) -> bool {
        self.loaded.agents.contains(agent_id)
    }
}

impl fmt::Debug for CedarPolicies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let policies = self.loaded.policies.len();
        f.debug_struct("CedarPolicies").field("name", &self.name).field("policies", &policies).finish()
    }
}

impl From<CedarProblem> for CedarError {
    fn from(problem: CedarProblem) -> Self {
        Self::Invalid(vec![problem])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mgp_types::context::TrustLevel;

    #[test]
    fn the_decision_of_an_unnamed_policy_counts() {
        let decision = |text: &str| {
            let mut policies = CedarPolicies::parse("access.cedar", text).unwrap();
            policies.loaded.policies.clear();
            let found = policies.decide(&AccessRequest {
                agent_id: "ann",
                roles: &[],
                server_id: "files",
                trust: TrustLevel::Standard,
                registered: false,
                tool: None,
                time: std::time::SystemTime::now(),
            });
            found.map(|found| (found.decision, found.policy))
        };
        let unknown = |decision| Some((decision, "?".to_owned()));
        assert_eq!(decision("forbid(principal, action, resource);"), unknown(AccessDecision::Deny));
        let error =
            "forbid(principal, action, resource) when { 9223372036854775807 + context.hour + 1 > 0 };";
        assert_eq!(decision(error), unknown(AccessDecision::Deny));
        assert_eq!(decision("permit(principal, action, resource);"), unknown(AccessDecision::Allow));
        assert_eq!(decision(r#"forbid(principal == Agent::"bob", action, resource);"#), None);
    }
}
