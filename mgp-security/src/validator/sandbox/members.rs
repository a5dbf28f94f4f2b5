//! Judges the members next to a command: for its user, folder, input, and further commands.

use super::{finding::Finding, programs::Program, secrets};
use crate::{
    validator::{
        Leaf, LeafKind,
        table::{self, Words},
    },
    words::words,
};
use serde::Deserialize;
use std::sync::LazyLock;

/// The words of `members.toml`.
static TABLE: LazyLock<Table> = LazyLock::new(|| table::parse(include_str!("members.toml")));

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    powers: Words,
    runners: Words,
}

/// Words in the names of members for variables.
const VARIABLES: &[&str] = &["env", "envs", "environ", "environment", "variables", "vars", "envvars", "path"];

/// Names of members that do not affect how a command runs.
const PLAIN: &[&str] =
    &["run_in_background", "security_risk", "requires_approval", "is_background", "restart"];

/// Returns the doubts about the members of a call with a command. `is_judged` returns whether a part is judged as a command, prose,
/// a variable or the folder.
pub(super) fn judge(leaves: &[Leaf], is_judged: impl Fn(&Leaf) -> bool) -> Vec<(&Leaf, Finding)> {
    let mut findings = Vec::new();
    for leaf in leaves {
        let what = match leaf.kind {
            LeafKind::Name => power(leaf),
            LeafKind::Text if !is_judged(leaf) => text(leaf),
            _ => None,
        };
        findings.extend(what.map(|what| (leaf, Finding::doubt(what))));
    }
    findings
}

fn has(name: &str, list: &[&str]) -> bool {
    words(name).iter().any(|word| list.contains(&word.as_str()))
}

/// Returns the doubt about the name of a member. Names of variables are judged separately.
fn power(leaf: &Leaf) -> Option<&'static str> {
    let variable = leaf.pointer.split('/').any(|part| has(part, VARIABLES));
    if variable || PLAIN.contains(&leaf.text.as_str()) || !leaf.is_plain_name() {
        return None;
    }
    has(&leaf.text, &TABLE.powers)
        .then_some("a member that says as whom, where or how often the command runs")
}

/// Returns the doubt about the text of an unknown member.
fn text(leaf: &Leaf) -> Option<&'static str> {
    let text = leaf.text.as_str();
    let below = |list: &[&str]| leaf.pointer.split('/').any(|part| has(part, list));
    if below(VARIABLES) {
        return Some("variables in a form that is not followed");
    }
    if below(&TABLE.runners) {
        return Some("another command next to the command");
    }
    let path = text.starts_with(['/', '~', '.', '-', '$', '`'])
        || text.contains("://")
        || text.contains('/') && !text.contains(' ');
    let script = text.contains(['$', '`', ';', '|', '\n', '=']);
    let mut words = text.split_whitespace();
    if words.next().is_some_and(|first| Program::named(first).is_some()) && words.next().is_some() {
        return Some("another command next to the command");
    }
    (path || script).then_some("a member whose effect on the command is not known")
}

/// Returns the doubt about the folder in which a command runs, which may be a script itself.
pub(super) fn folder(text: &str) -> Option<Finding> {
    (text.contains(['$', '`', ';', '|', ':', '\n', '\0']) && !secrets::is_project(text))
        .then(|| Finding::doubt("a folder that is known only when the command runs"))
}
