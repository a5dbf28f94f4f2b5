//! The places in which names are bound.

use super::strings::decoded;
use crate::code_safety::source_tree::SourceTree;

/// The source of a name's value.
#[derive(Debug, Clone)]
pub(super) enum Source {
    /// A module, or a member of one.
    Name(String),
    /// An expression, or the member of it to which the keys lead.
    Member(usize, Vec<String>),
    /// A function or a class.
    Function,
    /// Anything else.
    Other,
}

/// Returns the source of an identifier that is bound where it stands, or `None` if it is used there.
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
            "object_pattern" | "parenthesized_expression" | "non_null_expression" | "as_expression" => {}
            "object_assignment_pattern" | "assignment_pattern" if field == "left" => {}
            _ => break,
        }
        (inner, outer) = (outer, tree.parent(outer));
    }
    let of = |field: &str| {
        let expression = tree.field(outer, field)?;
        let keys = keys.map(|keys| keys.into_iter().rev().collect())?;
        Some(Source::Member(expression, keys))
    };
    let field = tree.items[inner].field;
    match (tree.kind(outer), field) {
        ("variable_declarator", "name") => {
            let is_ambient = tree.kind(tree.parent(tree.parent(outer))) == "ambient_declaration";
            (!is_ambient).then(|| of("value").unwrap_or(Source::Other))
        }
        ("assignment_expression", "left") => Some(of("right").unwrap_or(Source::Other)),
        ("augmented_assignment_expression", "left") | ("update_expression", _) => {
            Some(Source::Member(outer, Vec::new()))
        }
        ("required_parameter" | "optional_parameter", "pattern" | "name") => Some(Source::Other),
        ("for_in_statement", "left") | ("formal_parameters" | "index_signature", _) => Some(Source::Other),
        ("arrow_function" | "catch_clause", "parameter") => Some(Source::Other),
        (
            "function_declaration"
            | "function_expression"
            | "generator_function"
            | "generator_function_declaration"
            | "class"
            | "class_declaration",
            "name",
        ) => Some(Source::Function),
        ("enum_declaration" | "internal_module" | "module", "name") => Some(Source::Other),
        _ => None,
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
