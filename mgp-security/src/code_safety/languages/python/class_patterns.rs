//! Positional class patterns, such as `case Point(x, y)`: they read the members that the class lists.

use super::{libraries::is_list_of, strings::normal, walk::Walk};
use crate::code_safety::languages::value::{self, Value};

/// The classes of the language that match themselves in such patterns.
const MATCH_THEMSELVES: [&str; 11] =
    ["bool", "bytearray", "bytes", "dict", "float", "frozenset", "int", "list", "set", "str", "tuple"];

/// The most classes that are inspected for one pattern, including bases.
const CLASSES: usize = 16;

/// Judges a class pattern: the members of its positions must be written in the class.
pub(super) fn visit(walk: &mut Walk<'_>, at: usize) {
    let tree = walk.tree;
    let mut parts = tree.named_children(at);
    let class = parts.next();
    let has_positions = parts.any(|part| {
        let inner = tree.named_children(part).next();
        tree.kind(part) == "case_pattern" && inner.is_none_or(|inner| tree.kind(inner) != "keyword_pattern")
    });
    // A library's class lists the arguments of its creation.
    let is_of_library =
        |class: usize| matches!(walk.values.of(class), [Value::Name(name)] if name.contains('.'));
    let is_known = |class: usize| is_of_library(class) || is_plain(walk, &normal(tree.text(class)));
    if has_positions && !class.is_some_and(is_known) {
        walk.undecided(at, "a pattern whose class does not say which members it reads");
    }
}

/// Returns whether the members of a class's positions are written in the code, and nothing else can list others.
fn is_plain(walk: &Walk<'_>, name: &str) -> bool {
    let mut names = vec![name.to_owned()];
    let mut at = 0;
    while let Some(name) = names.get(at).cloned() {
        at += 1;
        let Some(definitions) = walk.values.definitions(&name) else {
            // Classes of the language have only their own positions.
            if at == 1 && !MATCH_THEMSELVES.contains(&name.as_str()) {
                return false;
            }
            continue;
        };
        if at > CLASSES || definitions.is_empty() {
            return false;
        }
        for definition in definitions {
            let Some(bases) = bases(walk, definition) else { return false };
            names.extend(bases);
        }
    }
    true
}

/// Returns the bases of a class if the code defines them or the language has them, and nothing else decides which members the class lists.
fn bases(walk: &Walk<'_>, definition: usize) -> Option<Vec<String>> {
    let tree = walk.tree;
    if tree.kind(definition) != "class_definition" {
        return is_tuple_of_names(walk, definition).then(Vec::new);
    }
    let mut all = Vec::new();
    for base in tree.field(definition, "superclasses").into_iter().flat_map(|list| tree.named_children(list))
    {
        let values = walk.values.of(base);
        let is_library = matches!(values, [Value::Name(name)] if name != "type");
        let is_of_code = value::names(values).next().is_none();
        match tree.kind(base) {
            "call" if is_tuple_of_names(walk, base) => {}
            "subscript" if is_generic(walk, base) => {}
            "identifier" | "attribute" if is_library => {}
            "identifier" if is_of_code => all.push(normal(tree.text(base))),
            _ => return None,
        }
    }
    Some(all)
}

/// Returns whether an expression with brackets is a class with arguments, such as `Generic[T]`, and not an element of a list.
fn is_generic(walk: &Walk<'_>, base: usize) -> bool {
    let class = walk.tree.field(base, "value");
    class.is_some_and(|class| matches!(walk.values.of(class), [Value::Name(name)] if name != "type"))
}

/// Returns whether a call makes a named tuple with constant names.
fn is_tuple_of_names(walk: &Walk<'_>, call: usize) -> bool {
    let tree = walk.tree;
    let (Some(function), Some(list)) = (tree.field(call, "function"), tree.field(call, "arguments")) else {
        return false;
    };
    let is_maker = matches!(
        walk.values.of(function),
        [Value::Name(name)] if name.ends_with("amedtuple") || name == "typing.NamedTuple"
    );
    let fields = tree.named_children(list).nth(1);
    is_maker
        && fields.is_some_and(|fields| {
            let is_pairs = || tree.named_children(fields).all(|pair| tree.kind(pair) == "tuple");
            walk.values.texts_of(fields).is_some() || is_list_of(walk, fields, |_| true) || is_pairs()
        })
}
