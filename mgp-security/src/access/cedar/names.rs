//! The roles and servers that policies name.

use super::{CedarError, CedarPolicies, CedarProblem, policies::NamedPolicy};
use cedar_policy::{Effect, EntityUid};

/// The most known names that a problem lists.
const MAX_SHOWN: usize = 20;

impl CedarPolicies {
    /// Checks the roles and servers that policies name against the configured ones.
    ///
    /// A `forbid` may name an unknown server, because the server may be registered later.
    ///
    /// # Errors
    /// [`CedarError::Invalid`] with the unknown names, and the places of their policies.
    pub fn check_names(&self, roles: &[&str], servers: &[&str]) -> Result<(), CedarError> {
        let mut problems = Vec::new();
        for policy in self.loaded.given.policies() {
            let place = self.named(policy.id());
            for literal in policy.entity_literals() {
                let id = literal.id().unescaped();
                let unknown = match literal.type_name().to_string().as_str() {
                    "Role" => unknown("role", id, roles),
                    "Server" | "Tool" if policy.effect() == Effect::Permit => {
                        unknown("server", server_of(&literal), servers)
                    }
                    _ => None,
                };
                problems.extend(unknown.map(|message| self.problem(place, &message)));
            }
        }
        problems.sort_by_key(|problem: &CedarProblem| (problem.line, problem.column));
        problems.dedup();
        if problems.is_empty() { Ok(()) } else { Err(CedarError::Invalid(problems)) }
    }

    fn problem(&self, place: &NamedPolicy, message: &str) -> CedarProblem {
        let NamedPolicy { name, line, column, .. } = place;
        let message = format!("policy {name:?}: {message}");
        CedarProblem { file: self.file.clone(), line: *line, column: *column, message }
    }
}

/// Returns the id of the server that a literal names, or whose tool it names.
fn server_of(literal: &EntityUid) -> &str {
    let id = literal.id().unescaped();
    id.split_once('/').map_or(id, |(server, _)| server)
}

fn unknown(kind: &str, name: &str, known: &[&str]) -> Option<String> {
    if known.contains(&name) {
        return None;
    }
    let shown: Vec<_> = known.iter().take(MAX_SHOWN).map(|known| format!("{known:?}")).collect();
    let expected = match shown.join(", ") {
        none if none.is_empty() => format!("the configuration has no {kind}"),
        shown => format!("expected one of {shown}"),
    };
    Some(format!("there is no {kind} {name:?}: {expected}"))
}
