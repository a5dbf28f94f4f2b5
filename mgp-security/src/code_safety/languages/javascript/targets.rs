//! The positions at which names are bound.

use super::strings::decoded;
use crate::code_safety::source_tree::SourceTree;

/// The source of a name's value.
#[derive(Debug, Clone)]
pub(super) enum Source {
    /// A module, or a member of one.
    Name(String),
    /// An expression, or its member at the end of the keys.
    Member(usize, Vec<String>),
    /// A function or a class.
    Function,
    /// A parameter of a function as a whole.
    Parameter,
    /// Anything else.
    Other,
}

/// Returns the source of an identifier that is bound at its position, or `None` if it is used there.
pub(super) fn target(tree: &SourceTree<'_>, at: usize) -> Option<Source> {
    let mut keys = Some(Vec::new());
    if tree.kind(at) == "shorthand_property_identifier_pattern" {
        keys = Some(vec![decoded(tree.text(at)).into_owned()]);
    }
    let (mut inner, mut outer) = (at, tree.parent(at));
    loop {
        let field = tree.items[inner].field;
        match tree.kind(outer) {
            "pair_pattern" if field == "value" => {
                let key = tree.field(outer, "key").and_then(|key| constant_key(tree, key));
                let key = key.filter(|key| tree.copies(key));
                keys = keys.zip(key).map(|(mut keys, key)| {
                    keys.push(key);
                    keys
                });
            }
            "array_pattern" | "rest_pattern" => keys = None,
            "object_pattern" => {}
            kind if is_cast(kind) => {}
            "object_assignment_pattern" | "assignment_pattern" if field == "left" => {}
            _ => break,
        }
        (inner, outer) = (outer, tree.parent(outer));
    }
    let is_whole = keys.as_ref().is_some_and(Vec::is_empty);
    let of = |field: &str| {
        let expression = tree.field(outer, field)?;
        let keys = keys.map(|keys| keys.into_iter().rev().collect())?;
        Some(Source::Member(expression, keys))
    };
    let field = tree.items[inner].field;
    match (tree.kind(outer), field) {
        (_, "name") if is_ambient(tree, outer) => None,
        ("variable_declarator", "name") => {
            let is_member = is_exported_by_namespace(tree, outer);
            let value = || of("value").filter(|_| !is_member).unwrap_or(Source::Other);
            Some(value())
        }
        ("assignment_expression", "left") => Some(of("right").unwrap_or(Source::Other)),
        ("augmented_assignment_expression", "left") | ("update_expression", _) => {
            Some(Source::Member(outer, Vec::new()))
        }
        ("required_parameter" | "optional_parameter", "pattern" | "name")
        | ("formal_parameters", _)
        | ("arrow_function", "parameter") => Some(if is_whole { Source::Parameter } else { Source::Other }),
        ("for_in_statement", "left") | ("index_signature", _) => Some(Source::Other),
        ("catch_clause", "parameter") => Some(Source::Other),
        (
            "function_declaration"
            | "function_expression"
            | "generator_function"
            | "generator_function_declaration"
            | "class"
            | "class_declaration"
            | "abstract_class_declaration",
            "name",
        ) => Some(Source::Function),
        ("import_alias", _) => {
            let (name, value) = (tree.named_children(outer).next()?, tree.named_children(outer).last()?);
            (name == inner).then(|| Source::Member(value, Vec::new()))
        }
        ("enum_body" | "enum_assignment", "name") => Some(Source::Other),
        ("enum_declaration" | "internal_module" | "module", "name") => Some(Source::Other),
        _ => None,
    }
}

/// Returns whether an expression of a kind has the value of its inner expression, and can be written in the same places.
pub(super) fn is_cast(kind: &str) -> bool {
    matches!(
        kind,
        "parenthesized_expression"
            | "non_null_expression"
            | "as_expression"
            | "satisfies_expression"
            | "type_assertion"
    )
}

/// Returns whether a declaration states that a name is bound elsewhere.
fn is_ambient(tree: &SourceTree<'_>, declaration: usize) -> bool {
    let mut outer = tree.parent(declaration);
    while matches!(
        tree.kind(outer),
        "variable_declaration"
            | "lexical_declaration"
            | "export_statement"
            | "expression_statement"
            | "statement_block"
            | "internal_module"
            | "module"
    ) {
        outer = tree.parent(outer);
    }
    tree.kind(outer) == "ambient_declaration"
}

/// Returns whether a variable is also a member of a namespace, so that code can change it through the namespace.
fn is_exported_by_namespace(tree: &SourceTree<'_>, declarator: usize) -> bool {
    let statement = tree.parent(tree.parent(declarator));
    let block = tree.parent(statement);
    tree.kind(statement) == "export_statement"
        && matches!(tree.kind(tree.parent(block)), "internal_module" | "module")
}

/// Returns whether a name that is bound at its position is only assigned to, not declared.
pub(super) fn is_assigned(tree: &SourceTree<'_>, at: usize) -> bool {
    let (mut inner, mut outer) = (at, tree.parent(at));
    loop {
        match tree.kind(outer) {
            "pair_pattern"
            | "array_pattern"
            | "rest_pattern"
            | "object_pattern"
            | "assignment_pattern"
            | "object_assignment_pattern" => {}
            kind if is_cast(kind) => {}
            "assignment_expression" | "augmented_assignment_expression" | "update_expression" => return true,
            "for_in_statement" => {
                return tree.items[inner].field == "left" && tree.field(outer, "kind").is_none();
            }
            _ => return false,
        }
        (inner, outer) = (outer, tree.parent(outer));
    }
}

/// Returns a key of an object or a pattern, if it is constant.
pub(super) fn constant_key(tree: &SourceTree<'_>, at: usize) -> Option<String> {
    match tree.kind(at) {
        "property_identifier" | "number" => Some(decoded(tree.text(at)).into_owned()),
        "string" => Some(super::modules::unquoted(tree, at)),
        "computed_property_name" => {
            let inner = tree.named_children(at).next()?;
            (tree.kind(inner) == "string").then(|| super::modules::unquoted(tree, inner))
        }
        _ => None,
    }
}
