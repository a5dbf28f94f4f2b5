//! The position of an expression.

use super::strings::normalized;
use crate::code_safety::source_tree::SourceTree;

/// Returns whether an expression is called at its position.
pub(super) fn is_called(tree: &SourceTree<'_>, at: usize) -> bool {
    tree.kind(tree.parent(at)) == "call" && tree.items[at].field == "function"
}

/// Returns whether an expression is used only for its members, or bound to a name whose values are followed.
pub(super) fn is_followed(tree: &SourceTree<'_>, at: usize) -> bool {
    let at = out_of_parentheses(tree, at);
    let parent = tree.parent(at);
    match tree.kind(parent) {
        "attribute" => tree.items[at].field == "object",
        "expression_statement" => true,
        "assignment" => {
            let left = tree.field(parent, "left").map(|left| tree.kind(left));
            tree.items[at].field == "right" && left == Some("identifier") && !is_in_class(tree, at)
        }
        _ => false,
    }
}

/// Returns the outermost pair of parentheses around an expression.
pub(super) fn out_of_parentheses(tree: &SourceTree<'_>, mut at: usize) -> usize {
    while tree.kind(tree.parent(at)) == "parenthesized_expression" {
        at = tree.parent(at);
    }
    at
}

/// Returns the nodes around a node, from the nearest.
pub(super) fn around<'t>(tree: &'t SourceTree<'_>, at: usize) -> impl Iterator<Item = usize> + 't {
    std::iter::successors(Some(at), |at| (*at != 0).then(|| tree.parent(*at))).skip(1)
}

/// Returns whether a statement of a class's body contains a node: its bindings are members.
pub(super) fn is_in_class(tree: &SourceTree<'_>, at: usize) -> bool {
    let mut scopes = around(tree, at).map(|at| tree.kind(at));
    scopes.find(|kind| matches!(*kind, "function_definition" | "lambda" | "class_definition"))
        == Some("class_definition")
}

/// Returns whether a node is in an annotation.
pub(super) fn is_in_annotation(tree: &SourceTree<'_>, at: usize) -> bool {
    let mut around = around(tree, at).map(|at| tree.kind(at));
    around.find(|kind| *kind == "type" || kind.ends_with("_statement") || *kind == "block") == Some("type")
}

/// Returns whether a member is bound or deleted at its position.
pub(super) fn is_changed(tree: &SourceTree<'_>, at: usize) -> bool {
    let (mut inner, mut outer) = (at, tree.parent(at));
    while matches!(
        tree.kind(outer),
        "pattern_list"
            | "tuple_pattern"
            | "list_pattern"
            | "list_splat_pattern"
            | "tuple"
            | "list"
            | "expression_list"
    ) {
        (inner, outer) = (outer, tree.parent(outer));
    }
    match tree.kind(outer) {
        "assignment" | "augmented_assignment" | "for_statement" | "for_in_clause" => {
            tree.items[inner].field == "left"
        }
        "as_pattern_target" | "delete_statement" => true,
        _ => false,
    }
}

/// Returns whether an expression is the first parameter of the method around it, such as `self`.
pub(super) fn is_itself(tree: &SourceTree<'_>, at: usize) -> bool {
    let method = around(tree, at).find(|at| tree.kind(*at) == "function_definition");
    let parameters = method.filter(|at| is_in_class(tree, *at)).and_then(|at| tree.field(at, "parameters"));
    let itself = parameters.and_then(|list| tree.named_children(list).next());
    tree.kind(at) == "identifier"
        && itself.is_some_and(|itself| normalized(tree.text(at)) == normalized(tree.text(itself)))
}

/// Returns whether the first argument of a call is the first parameter of the method that makes the call, as in `Base.__init__(self)`.
pub(super) fn passes_itself(tree: &SourceTree<'_>, call: usize) -> bool {
    let first = tree.field(call, "arguments").and_then(|list| tree.named_children(list).next());
    first.is_some_and(|first| is_itself(tree, first))
}
