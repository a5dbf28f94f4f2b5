//! Annotations. A text in an annotation is code for functions that evaluate it, such as `functools.singledispatch`.

use super::{
    bindings::Source,
    libraries,
    positions::{around, is_in_annotation},
    strings::normal,
    walk::Walk,
};
use crate::code_safety::{languages::value::Value, policy::Policy};

/// Returns whether a text at this position is an annotation, or a part of one.
pub(super) fn is_annotation(walk: &Walk<'_>, at: usize) -> bool {
    is_in_annotation(walk.tree, at) || is_type_argument(walk, at)
}

/// Returns whether a part of an annotation can be a text that the code computes.
pub(super) fn is_computed(walk: &Walk<'_>, at: usize) -> bool {
    let tree = walk.tree;
    match tree.kind(at) {
        "identifier" => {
            is_in_annotation(tree, at)
                && walk.values.sources(&normal(tree.text(at))).iter().any(|source| match source {
                    Source::Expression(value) => computes_text(walk, *value),
                    Source::Name(_) | Source::Definition(_) | Source::Other => false,
                })
        }
        "call" | "binary_operator" => is_in_annotation(tree, at) && computes_text(walk, at),
        _ => false,
    }
}

/// Returns whether an expression may compute a text: by an operator other than that of unions, or a method of an unknown value.
fn computes_text(walk: &Walk<'_>, at: usize) -> bool {
    let tree = walk.tree;
    match tree.kind(at) {
        "binary_operator" => !tree.children(at).any(|child| tree.kind(child) == "|"),
        "call" => {
            let function = tree.field(at, "function");
            let makers = function.map(|function| walk.values.of(function)).unwrap_or_default();
            let is_maker = |value: &Value| matches!(value, Value::Name(name) if makes_object(walk, name));
            makers.is_empty() || !makers.iter().all(is_maker)
        }
        _ => false,
    }
}

/// Returns whether a library's function creates a type, or an object that is not a text. By convention, names of classes do.
fn makes_object(walk: &Walk<'_>, name: &str) -> bool {
    let is_class = name.rsplit('.').next().is_some_and(|last| last.starts_with(char::is_uppercase));
    name == "type"
        || libraries::is_of_module(walk, name)
            && (is_class || name == "collections.namedtuple" || makes_type(name))
}

/// Returns whether a text is in the brackets of a type, or in a call that creates one, where it is code that may be evaluated later.
fn is_type_argument(walk: &Walk<'_>, at: usize) -> bool {
    let tree = walk.tree;
    let is_part = |kind: &str| {
        matches!(
            kind,
            "list"
                | "tuple"
                | "dictionary"
                | "pair"
                | "concatenated_string"
                | "parenthesized_expression"
                | "argument_list"
                | "keyword_argument"
        )
    };
    let outer = around(tree, at).find(|at| !is_part(tree.kind(*at))).unwrap_or_default();
    let maker = match tree.kind(outer) {
        "subscript" => tree.field(outer, "value"),
        "call" => tree.field(outer, "function"),
        _ => None,
    };
    maker.is_some_and(|maker| walk.values.names_of(maker).any(makes_type))
}

/// Returns whether a name is that of a function that takes types.
fn makes_type(name: &str) -> bool {
    let of_typing = name.starts_with("typing.") || name.starts_with("typing_extensions.");
    let takes_values = name.ends_with(".Literal") || name.ends_with(".deprecated");
    of_typing && !takes_values || name == "dataclasses.make_dataclass"
}

/// Returns whether a text is an annotation that does nothing when it is evaluated: names, and brackets after them.
pub(super) fn is_plain_type(policy: &Policy, text: &str) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let is_sign = |c: char| c.is_whitespace() || ".,[]|'\"".contains(c);
    let is_door =
        |word: &str| word.starts_with('_') || policy.is_sensitive_module(word) || policy.is_builtin(word);
    text.chars().all(|c| is_name(c) || is_sign(c)) && !text.split(|c| !is_name(c)).any(is_door)
}
