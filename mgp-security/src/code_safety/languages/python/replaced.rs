//! Names of the language that the code replaces before it can use them, such as `compile = re.compile` or `def eval(tree):`.

use super::strings::normal;
use crate::code_safety::{policy::Policy, source_tree::SourceTree};
use std::collections::{HashMap, HashSet};

/// Returns the language's names that only count where the code does not bind them, and that the code certainly binds before anything
/// else. Their first use is a function or an assignment of the module itself, and nothing removes the binding.
pub(super) fn replaced(tree: &SourceTree<'_>, policy: &Policy) -> HashSet<String> {
    let mut uses: HashMap<String, Vec<usize>> = HashMap::new();
    for at in tree.named().filter(|at| tree.kind(*at) == "identifier" && !is_member(tree, *at)) {
        let name = normal(tree.text(at));
        if policy.is_builtin(&name) && !name.starts_with("__") {
            uses.entry(name).or_default().push(at);
        }
    }
    let all = uses.into_iter().filter(|(_, uses)| is_replaced(tree, uses));
    all.map(|(name, _)| name).collect()
}

/// Returns whether an identifier is the name of a member or an argument.
fn is_member(tree: &SourceTree<'_>, at: usize) -> bool {
    match tree.kind(tree.parent(at)) {
        "attribute" => tree.items[at].field == "attribute",
        "keyword_argument" => tree.items[at].field == "name",
        _ => false,
    }
}

fn is_replaced(tree: &SourceTree<'_>, uses: &[usize]) -> bool {
    let Some(end) = uses.first().and_then(|first| end_of_binding(tree, *first)) else { return false };
    let is_lost = |at: usize| {
        let mut outer = tree.parent(at);
        while matches!(tree.kind(outer), "tuple" | "list" | "expression_list" | "parenthesized_expression") {
            outer = tree.parent(outer);
        }
        matches!(tree.kind(outer), "delete_statement" | "as_pattern_target")
    };
    uses.iter().skip(1).all(|at| *at >= end && !is_lost(*at))
}

/// Returns the end of the expressions that are evaluated before a name is bound, if the module itself binds the name at its position.
fn end_of_binding(tree: &SourceTree<'_>, at: usize) -> Option<usize> {
    let binding = tree.parent(at);
    let end = match (tree.kind(binding), tree.items[at].field) {
        ("function_definition", "name") => tree.field(binding, "body")?,
        ("assignment", "left") if tree.field(binding, "right").is_some() => tree.items[binding].end,
        _ => return None,
    };
    let statement = match tree.kind(tree.parent(binding)) {
        "expression_statement" => tree.parent(binding),
        _ => binding,
    };
    (tree.kind(tree.parent(statement)) == "module").then_some(end)
}
