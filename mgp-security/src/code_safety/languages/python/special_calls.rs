//! Calls whose arguments show what they do.

use super::{
    files,
    walker::{Walk, reads_internals},
};
use crate::code_safety::{finding::Kind, policy::Special, source_tree::SourceTree};

/// Adds what a call does by its arguments.
pub(super) fn visit(walk: &mut Walk<'_>, at: usize) {
    let tree = walk.tree;
    let (Some(function), Some(list)) = (tree.field(at, "function"), tree.field(at, "arguments")) else {
        return;
    };
    let arguments: Vec<usize> = tree.named_children(list).collect();
    let names: Vec<String> = walk.values.names_of(function).map(str::to_owned).collect();
    for name in &names {
        match walk.policy.special(name) {
            Some(Special::Attribute) => members(walk, at, arguments.get(1).as_slice(), ""),
            Some(Special::AttributeReader) => members(walk, at, &arguments.iter().collect::<Vec<_>>(), "."),
            Some(Special::Import) => import(walk, at, &arguments),
            Some(Special::Open) => files::open(walk, at, name, &arguments),
            _ => {}
        }
    }
    // What the call returns may be a member or a module of a known name.
    let results: Vec<String> = walk.values.names_of(at).map(str::to_owned).collect();
    results.into_iter().for_each(|name| walk.add(at, Kind::Use(name)));
    if tree.kind(function) == "attribute" {
        files::open_method(walk, at, function, &arguments);
        format_method(walk, at, function);
    }
}

/// Returns whether an expression is called where it stands.
pub(super) fn is_called(tree: &SourceTree<'_>, at: usize) -> bool {
    tree.kind(tree.parent(at)) == "call" && tree.items[at].field == "function"
}

/// Adds the members that arguments name.
fn members(walk: &mut Walk<'_>, at: usize, names: &[&usize], separator: &str) {
    let decided: Option<Vec<Vec<&str>>> = names.iter().map(|name| walk.values.texts_of(**name)).collect();
    let Some(decided) = decided.filter(|texts| !texts.is_empty()) else {
        return walk.undecided(at, "a member with a computed name");
    };
    for text in decided.into_iter().flatten() {
        let parts = if separator.is_empty() { vec![text] } else { text.split(separator).collect() };
        parts.into_iter().for_each(|part| walk.add(at, Kind::Member(part.to_owned())));
    }
}

/// Adds the module that the first argument names.
fn import(walk: &mut Walk<'_>, at: usize, arguments: &[usize]) {
    let texts = arguments.first().and_then(|argument| walk.values.texts_of(*argument));
    match texts {
        Some(texts) => texts.into_iter().for_each(|text| walk.add(at, Kind::Import(text.to_owned()))),
        None => walk.undecided(at, "an import with a computed name"),
    }
}

/// Adds what the formatting of a text reads.
fn format_method(walk: &mut Walk<'_>, at: usize, function: usize) {
    let tree = walk.tree;
    let method = tree.field(function, "attribute").map(|member| tree.text(member));
    let Some(object) =
        tree.field(function, "object").filter(|_| matches!(method, Some("format" | "format_map")))
    else {
        return;
    };
    let is_literal = matches!(tree.kind(object), "string" | "concatenated_string");
    match walk.values.texts_of(object) {
        Some(texts) if texts.iter().any(|text| reads_internals(text)) => {
            walk.undecided(at, "a format that reads internals");
        }
        None if !is_literal => walk.undecided(at, "a computed format"),
        _ => {}
    }
}
