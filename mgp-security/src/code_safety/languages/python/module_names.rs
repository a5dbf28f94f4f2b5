//! The names that a module binds outside its functions and classes.

use super::{bindings::is_target, imports::imported, strings::normal};
use crate::code_safety::source_tree::SourceTree;

/// Returns a name in the form that Python uses at run time.
pub(in crate::code_safety) fn module_name(identifier: &str) -> String {
    normal(identifier)
}

/// Returns the lines in which code binds a name of its module: by a definition, an assignment in any form, an import, a pattern, or `global`
/// in a function. An import of all names of another module counts, because it may bind this one.
pub(in crate::code_safety) fn module_bindings(tree: &SourceTree<'_>, name: &str) -> Vec<usize> {
    let binds = |at: usize| match tree.kind(at) {
        "import_statement" | "import_from_statement" => {
            let mut imports = imported(tree, at).into_iter();
            is_of_module(tree, at) && imports.any(|import| import.bound.is_none_or(|bound| bound == name))
        }
        "identifier" => normal(tree.text(at)) == name && binds_for_module(tree, at),
        _ => false,
    };
    tree.named().filter(|at| binds(*at)).map(|at| tree.place(at).line).collect()
}

/// Returns whether an identifier is bound in its module at its position.
fn binds_for_module(tree: &SourceTree<'_>, at: usize) -> bool {
    let parents = || std::iter::successors(Some(tree.parent(at)), |at| (*at != 0).then(|| tree.parent(*at)));
    if parents().any(|at| tree.kind(at) == "global_statement") {
        return true;
    }
    // Targets of `with` and patterns of `match` nest in more ways than those of an assignment: all names in them count.
    let in_pattern = || {
        let kinds = ["as_pattern_target", "case_pattern", "type_alias_statement"];
        parents().any(|at| kinds.contains(&tree.kind(at)))
    };
    (is_target(tree, at) && !is_local(tree, at) || in_pattern()) && is_of_module(tree, at)
}

/// Returns whether a target is a parameter, or a name of a comprehension.
fn is_local(tree: &SourceTree<'_>, at: usize) -> bool {
    let mut outer = tree.parent(at);
    while tree.kind(outer).ends_with("_pattern") || tree.kind(outer) == "pattern_list" {
        outer = tree.parent(outer);
    }
    matches!(
        tree.kind(outer),
        "parameters"
            | "lambda_parameters"
            | "default_parameter"
            | "typed_parameter"
            | "typed_default_parameter"
            | "for_in_clause"
    )
}

/// Returns whether a node is outside of the bodies of functions and classes.
fn is_of_module(tree: &SourceTree<'_>, mut at: usize) -> bool {
    while at != 0 {
        let outer = tree.parent(at);
        let is_scope = matches!(tree.kind(outer), "function_definition" | "class_definition" | "lambda");
        if is_scope && tree.items[at].field == "body" {
            return false;
        }
        at = outer;
    }
    true
}
