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
};

/// Policies in the language [Cedar](https://docs.cedarpolicy.com), which decide where no rule does.
///
/// A `forbid` that applies denies, else a `permit` that applies allows, else the server's default policy decides. A policy that cannot be
/// evaluated, such as one that reads an argument that the call does not have, denies.
///
/// ```
/// use mgp_security::access::{AccessControl, CedarPolicies, MemoryAccessStore};
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
/// let control = AccessControl::open(Arc::new(MemoryAccessStore::new())).await?;
/// control.set_server("files", DefaultPolicy::OptIn);
/// control.set_policy(Arc::new(CedarPolicies::parse("access.cedar", policies)?));
/// // The tool is listed, because some calls of it are allowed.
/// assert!(control.check(&Principal::agent("ann"), &ToolId::new("files", "read")).allows());
/// # Ok(())
/// # }
/// ```
pub struct CedarPolicies {
    /// The name of the file in reasons.
    name: String,
    loaded: LoadedPolicies,
    authorizer: Authorizer,
}

/// Policies that were read and checked.
pub(super) struct LoadedPolicies {
    pub(super) given: PolicySet,
    /// The policies that decide for any arguments.
    pub(super) for_any: PolicySet,
    pub(super) policies: HashMap<PolicyId, NamedPolicy>,
    /// The agents that a policy permits something by their names.
    pub(super) agents: HashSet<String>,
}

/// The name of a policy, and its place in the file.
pub(super) struct NamedPolicy {
    pub(super) name: String,
    pub(super) offset: usize,
    pub(super) line: usize,
    /// True if the policy reads the arguments of calls.
    pub(super) reads_arguments: bool,
}

impl CedarPolicies {
    /// The schema that policies are checked against, in Cedar's own language for schemas.
    pub const SCHEMA: &str = SCHEMA;

    /// Reads policies from a text, which errors and reasons call by a name. At most 1 MiB.
    ///
    /// # Errors
    /// [`CedarError::Invalid`] with the problems and their places.
    pub fn parse(name: impl Into<String>, text: &str) -> Result<Self, CedarError> {
        let name = name.into();
        let loaded = load::load(&name, text)?;
        let short = name.rsplit(['/', '\\']).next().unwrap_or_default();
        Ok(Self { name: short.to_owned(), loaded, authorizer: Authorizer::new() })
    }

    /// Reads policies from a file of at most 1 MiB.
    ///
    /// # Errors
    /// [`CedarError`].
    pub fn read(path: &Path) -> Result<Self, CedarError> {
        let failed = |source: io::Error| CedarError::Read { path: path.to_owned(), source };
        let mut bytes = Vec::new();
        // One byte more tells a file that is too large.
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
        let first = |ids: &mut dyn Iterator<Item = &PolicyId>| {
            ids.filter_map(|id| self.loaded.policies.get(id)).min_by_key(|policy| policy.offset)
        };
        let diagnostics = response.diagnostics();
        let errors = diagnostics.errors().map(|error| match error {
            AuthorizationError::PolicyEvaluationError(error) => (error.policy_id(), error.inner()),
        });
        let error = errors.min_by_key(|(id, _)| self.loaded.policies.get(id).map(|policy| policy.offset));
        if let Some((id, error)) = error {
            let error: String = error.to_string().chars().take(MAX_ERROR).collect();
            let policy = self.loaded.policies.get(id)?;
            return Some(self.of(policy, AccessDecision::Deny, &format!("cannot be evaluated: {error}")));
        }
        let policy = first(&mut diagnostics.reason())?;
        Some(match response.decision() {
            Decision::Allow if for_any && policy.reads_arguments => {
                self.of(policy, AccessDecision::Allow, "permits it for some arguments")
            }
            Decision::Allow => self.of(policy, AccessDecision::Allow, "permits it"),
            Decision::Deny => self.of(policy, AccessDecision::Deny, "forbids it"),
        })
    }

    fn of(&self, policy: &NamedPolicy, decision: AccessDecision, does: &str) -> PolicyDecision {
        let NamedPolicy { name, line, .. } = policy;
        PolicyDecision::new(decision, name, format!("policy {name:?} ({}:{line}) {does}", self.name))
    }
}

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
