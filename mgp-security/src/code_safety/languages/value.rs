//! The values that an expression can have, as far as they matter: names that lead somewhere, and constant texts.

use crate::code_safety::source_tree::SourceTree;

/// A value that an expression can have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Value {
    /// A dotted name.
    Name(String),
    /// A constant text.
    Text(String),
    /// A number.
    Number,
    /// A function or a class of the code.
    Function,
    /// Anything else.
    Other,
}

/// Counts the copies that values hold. Returns false once the walks over a tree copied too much.
pub(super) fn copies(tree: &SourceTree<'_>, values: &[Value]) -> bool {
    values.iter().all(|value| match value {
        Value::Name(name) => tree.copies_name(name),
        Value::Text(text) => tree.copies(text),
        Value::Number | Value::Function | Value::Other => true,
    })
}

/// The most values of one expression, characters of a constant text, and parts of a name that are distinguished.
pub(super) const VALUES: usize = 8;
pub(super) const CHARACTERS: usize = 2000;
pub(super) const PARTS: usize = 12;

/// The rounds in which assignments may pass values on.
pub(super) const ROUNDS: usize = 16;

/// Adds a value to a set. A set that is full holds `Other` instead of the rest.
pub(super) fn add(all: &mut Vec<Value>, value: Value) {
    if all.contains(&value) {
        return;
    }
    if all.len() < VALUES {
        all.push(value);
    } else if !all.contains(&Value::Other) {
        all.push(Value::Other);
    }
}

/// Returns the names among values.
pub(super) fn names(values: &[Value]) -> impl Iterator<Item = &str> {
    values.iter().filter_map(|value| match value {
        Value::Name(name) => Some(name.as_str()),
        _ => None,
    })
}

/// Returns the constant texts among values, if nothing else is among them.
pub(super) fn texts(values: &[Value]) -> Option<Vec<&str>> {
    let texts = values.iter().map(|value| match value {
        Value::Text(text) => Some(text.as_str()),
        _ => None,
    });
    texts.collect::<Option<Vec<_>>>().filter(|texts| !texts.is_empty())
}
