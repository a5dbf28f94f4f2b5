//! Reads and checks a policy file.

use super::{
    CedarError, CedarProblem, approximate, bounds, literals,
    place::Source,
    policies::{LoadedPolicies, NamedPolicy},
};
use cedar_policy::{
    ActionConstraint, Effect, EntityUid, Policy, PolicyId, PolicySet, PrincipalConstraint,
    ResourceConstraint, Schema, ValidationError, ValidationMode, ValidationResult, ValidationWarning,
    Validator,
};
use miette::Diagnostic;
use std::{
    collections::{HashMap, HashSet},
    fmt, thread,
};

/// The schema of the requests.
pub(super) const SCHEMA: &str = include_str!("schema.cedarschema");

/// The most problems of one file that are reported at once.
const MAX_PROBLEMS: usize = 20;

/// The stack of the thread that reads policies, in bytes: enough for the deepest policy within the [bounds].
const STACK: usize = 64 * 1024 * 1024;

/// Reads policies, on a thread with enough stack for Cedar's parser.
pub(super) fn load(name: &str, text: &str) -> Result<LoadedPolicies, CedarError> {
    let source = Source { name, text };
    bounds::check(source).map_err(|problem| CedarError::Invalid(vec![problem]))?;
    thread::scope(|scope| {
        let reader = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, || read(source));
        let reader = reader.map_err(|source| CedarError::Read { path: name.into(), source })?;
        reader.join().unwrap_or_else(|_| Err(vec![source.problem(0, "the policies cannot be read")])).map_err(
            |mut problems| {
                problems.sort_by_key(|problem| (problem.line, problem.column));
                problems.dedup();
                problems.truncate(MAX_PROBLEMS);
                CedarError::Invalid(problems)
            },
        )
    })
}

fn read(source: Source<'_>) -> Result<LoadedPolicies, Vec<CedarProblem>> {
    let given: PolicySet = source.text.parse().map_err(|error: cedar_policy::ParseErrors| {
        error.iter().map(|error| located(source, error, 0, "")).collect::<Vec<_>>()
    })?;
    if let Some(template) = given.templates().next() {
        let offset = template.as_ref().loc().map_or(0, |place| place.span.offset());
        let message = "a template: expected a policy without ?principal and ?resource";
        return Err(vec![source.problem(offset, message)]);
    }
    let policies = named(source, &given);
    let offset_of = |id: &PolicyId| policies.get(id).map_or(0, |policy| policy.offset);
    let unusable = |policy: &Policy| {
        source.problem(offset_of(policy.id()), "the policy cannot be read: expected a policy of Cedar 4")
    };
    let (mut for_any, mut for_checks) = (PolicySet::new(), PolicySet::new());
    for policy in given.policies() {
        let wrong = || vec![unusable(policy)];
        let (any, checked) = if policies.get(policy.id()).is_none_or(|policy| policy.reads_arguments) {
            let any = approximate::for_any_arguments(policy).ok_or_else(wrong)?;
            (any, approximate::for_checks(policy).ok_or_else(wrong)?)
        } else {
            (policy.clone(), policy.clone())
        };
        for_any.add(any).map_err(|_| wrong())?;
        for_checks.add(checked).map_err(|_| wrong())?;
    }
    validate(source, &given, &for_checks, &policies)?;
    Ok(LoadedPolicies { agents: agents(&given), given, for_any, policies })
}

/// Checks policies against the schema.
fn validate(
    source: Source<'_>,
    given: &PolicySet,
    for_checks: &PolicySet,
    policies: &HashMap<PolicyId, NamedPolicy>,
) -> Result<(), Vec<CedarProblem>> {
    // In checks, the arguments are one Boolean that stands in for every condition on them.
    let schema = SCHEMA.replace("arguments: {}", "arguments: Bool");
    let (schema, _) = Schema::from_cedarschema_str(&schema).map_err(|error| {
        vec![source.problem(0, format!("internal error: the schema cannot be read: {error}"))]
    })?;
    let validator = Validator::new(schema);
    let result = validator.validate(for_checks, ValidationMode::Strict);
    let mut problems = never_applying(source, given, &result, policies);
    if result.validation_passed() {
        return if problems.is_empty() { Ok(()) } else { Err(problems) };
    }
    // A rewritten policy has no places, so errors are looked up in the original policy.
    let written = validator.validate(given, ValidationMode::Strict);
    let mut places: HashMap<(PolicyId, String), usize> = HashMap::new();
    for error in written.validation_errors() {
        if let Some(offset) = offset(error) {
            places.entry((error.policy_id().clone(), error.to_string())).or_insert(offset);
        }
    }
    let problem = |error: &ValidationError| {
        let id = error.policy_id();
        let (name, start) = policies.get(id).map_or(("", 0), |policy| (&policy.name, policy.offset));
        let offset = places.get(&(id.clone(), error.to_string())).copied().unwrap_or(start);
        located(source, error, offset, &format!("policy {name:?}: "))
    };
    problems.extend(result.validation_errors().map(problem));
    Err(problems)
}

/// Returns the problems of policies that can never apply, or that compare an attribute with an impossible value.
fn never_applying(
    source: Source<'_>,
    given: &PolicySet,
    result: &ValidationResult,
    policies: &HashMap<PolicyId, NamedPolicy>,
) -> Vec<CedarProblem> {
    let mistaken: HashSet<_> = result.validation_errors().map(ValidationError::policy_id).collect();
    let mut problems = Vec::new();
    for warning in result.validation_warnings() {
        let (name, offset, line) = policies
            .get(warning.policy_id())
            .map_or(("", 0, 0), |policy| (&policy.name, policy.offset, policy.line));
        match warning {
            // A policy with a mistake also seems never to apply.
            _ if mistaken.contains(warning.policy_id()) => {}
            ValidationWarning::ImpossiblePolicy(_) | ValidationWarning::InvalidActionApplication(_) => {
                let message = format!("policy {name:?} can never apply: {NEVER}");
                problems.push(source.problem(offset, message));
            }
            warning => {
                tracing::warn!(file = source.name, line, %warning, "a policy may not do what it seems to");
            }
        }
    }
    for policy in given.policies() {
        let (name, offset) =
            policies.get(policy.id()).map_or(("", 0), |policy| (&policy.name, policy.offset));
        let problem = |message: String| source.problem(offset, format!("policy {name:?}{message}"));
        if permits_use(policy) {
            problems.push(problem(format!(" can never apply: {NEEDS_GRANT}")));
        }
        problems
            .extend(literals::impossible(policy).into_iter().map(|message| problem(format!(": {message}"))));
    }
    problems
}

/// The reason for refusing a policy that the schema rules out for every request.
const NEVER: &str = "expected a principal, an action and a resource that can meet, with a condition that can be fulfilled; \
    `resource in Server::\"id\"` is every tool of a server, and `resource == Server::\"id\"` only the server in Action::\"use\"";

/// The reason for refusing a `permit` that is only for the use of servers.
const NEEDS_GRANT: &str = "expected a `permit` of Action::\"call\" for tools, such as those `in` a server; a server's resources, prompts and \
    completions need a grant of the server (`mgp access grant AGENT SERVER`)";

/// Returns whether a policy is a `permit` whose scope is only the use of servers, which a policy cannot allow.
fn permits_use(policy: &Policy) -> bool {
    let is_use = |action: &EntityUid| action.id().unescaped() == "use";
    let by_action = match policy.action_constraint() {
        ActionConstraint::Any => false,
        ActionConstraint::Eq(action) => is_use(&action),
        ActionConstraint::In(actions) => actions.iter().all(is_use),
    };
    let by_resource = match policy.resource_constraint() {
        ResourceConstraint::Eq(resource) => resource.type_name().to_string() == "Server",
        ResourceConstraint::Is(kind) | ResourceConstraint::IsIn(kind, _) => kind.to_string() == "Server",
        ResourceConstraint::Any | ResourceConstraint::In(_) => false,
    };
    policy.effect() == Effect::Permit && (by_action || by_resource)
}

/// Returns the names of policies: their annotation `@id`, or `policy0` and so on in their order.
fn named(source: Source<'_>, set: &PolicySet) -> HashMap<PolicyId, NamedPolicy> {
    let named = |policy: &Policy| {
        let id = policy.id().clone();
        let own = policy.annotation("id").filter(|name| !name.is_empty());
        let name = own.map_or_else(|| id.to_string(), |name| name.chars().take(MAX_NAME).collect());
        let offset = policy.as_ref().loc().map_or(0, |place| place.span.offset());
        let reads_arguments = approximate::mentions_arguments(policy);
        let (line, column) = source.place(offset);
        (id, NamedPolicy { name, offset, line, column, reads_arguments })
    };
    set.policies().map(named).collect()
}

/// The most characters of a policy's name that are shown.
const MAX_NAME: usize = 64;

/// Returns the agents that the scope of a `permit` names.
fn agents(set: &PolicySet) -> HashSet<String> {
    let permits = set.policies().filter(|policy| policy.effect() == Effect::Permit);
    let named = permits.filter_map(|policy| match policy.principal_constraint() {
        PrincipalConstraint::Eq(named) => Some(named),
        _ => None,
    });
    let agents = named.filter(|named| named.type_name().to_string() == "Agent");
    agents.map(|agent| agent.id().unescaped().to_owned()).collect()
}

fn offset(error: &dyn Diagnostic) -> Option<usize> {
    error.labels()?.next().map(|label| label.offset())
}

/// Returns an error with its place, or with `otherwise` if it has none.
fn located<E: Diagnostic + fmt::Display>(
    source: Source<'_>,
    error: &E,
    otherwise: usize,
    before: &str,
) -> CedarProblem {
    let shown = error.to_string();
    // Cedar names policies by their order in the file.
    let shown = shown.split_once("`, ").filter(|(start, _)| start.starts_with("for policy `"));
    let message = shown.map_or_else(|| error.to_string(), |(_, message)| message.to_owned());
    let expected = error.labels().and_then(|mut labels| labels.next()?.label().map(str::to_owned));
    let help = error.help().map(|help| help.to_string());
    let details: String =
        [expected, help].into_iter().flatten().map(|detail| format!(": {detail}")).collect();
    source.problem(offset(error).unwrap_or(otherwise), format!("{before}{message}{details}"))
}
