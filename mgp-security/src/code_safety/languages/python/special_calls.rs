//! Calls whose arguments show what they do.

use super::{files, helper_calls, libraries, positions::passes_itself, strings::reads_internals, walk::Walk};
use crate::code_safety::{finding::Kind, languages::value::Value, policy::Special};

/// The lists of names that `functools` copies by default.
const WRAPPED: [&str; 2] = ["functools.WRAPPER_ASSIGNMENTS", "functools.WRAPPER_UPDATES"];

/// Judges a call by its arguments.
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
            Some(Special::Copy) => copy(walk, at, name, &arguments),
            Some(Special::Fields) => fields(walk, at, &arguments),
            Some(Special::Open) => files::open(walk, at, name, &arguments),
            _ => {}
        }
    }
    if makes_another(walk, function) {
        walk.undecided(at, "an object of a class that is not known");
    }
    if makes_class(walk, function, &arguments) {
        walk.undecided(at, "a class with computed members");
    }
    // The result of the call may be a member or a module of a known name.
    let results: Vec<String> = walk.values.names_of(at).map(str::to_owned).collect();
    results.into_iter().for_each(|name| walk.add(at, Kind::Use(name)));
    if tree.kind(function) == "attribute" {
        helper_calls::visit(walk, at, function, &arguments);
        files::open_method(walk, at, function, &arguments);
        format_method(walk, at, function);
    }
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

/// Judges a call that copies members by their names: the names must be constant, and harmless.
fn copy(walk: &mut Walk<'_>, at: usize, name: &str, arguments: &[usize]) {
    let tree = walk.tree;
    let sides = if name.ends_with("wraps") { 1 } else { 2 };
    let is_plain = |argument: usize| {
        libraries::is_list_of(walk, argument, |text| walk.policy.is_plain_member(text))
            || matches!(walk.values.of(argument), [Value::Name(name)] if WRAPPED.contains(&name.as_str()))
    };
    let is_harmless = |(index, argument): (usize, &usize)| match tree.kind(*argument) {
        "list_splat" | "dictionary_splat" => false,
        "keyword_argument" => {
            let is_side =
                tree.field(*argument, "name").is_some_and(|name| tree.text(name).starts_with("wrap"));
            is_side || tree.field(*argument, "value").is_some_and(is_plain)
        }
        _ => index < sides || is_plain(*argument),
    };
    if !arguments.iter().enumerate().all(is_harmless) {
        walk.undecided(at, &format!("'{name}' with computed names, or names of internals"));
    }
}

/// Returns whether a call's function is the class of a value other than the object whose method it is.
fn makes_another(walk: &Walk<'_>, function: usize) -> bool {
    let tree = walk.tree;
    let Some(of) = tree.field(function, "function").filter(|_| tree.kind(function) == "call") else {
        return false;
    };
    walk.values.names_of(of).any(|name| name == "type") && !passes_itself(tree, function)
}

/// Returns whether a call creates a class, by `type` or a metaclass, with members whose names are not constant.
fn makes_class(walk: &Walk<'_>, function: usize, arguments: &[usize]) -> bool {
    let tree = walk.tree;
    let [_, bases, members, ..] = arguments else { return false };
    let by_type = walk.values.names_of(function).any(|name| name == "type");
    let of = walk.values.of(function);
    let looks_so = (of.is_empty() || of.contains(&Value::Other))
        && tree.kind(*bases) == "tuple"
        && matches!(tree.kind(*members), "dictionary" | "call");
    // The modules that run the names of members, or texts in them, as code.
    let has_readers = ["dataclasses", "functools", "typing"].iter().any(|name| walk.values.is_imported(name));
    has_readers && (by_type || looks_so) && !has_constant_keys(walk, *members)
}

/// Returns whether all keys of a dictionary are constant texts.
fn has_constant_keys(walk: &Walk<'_>, members: usize) -> bool {
    let tree = walk.tree;
    let is_constant = |pair: usize| {
        let key = tree.field(pair, "key").filter(|_| tree.kind(pair) == "pair");
        key.is_some_and(|key| walk.values.texts_of(key).is_some())
    };
    match tree.kind(members) {
        "dictionary" => tree.named_children(members).all(is_constant),
        "call" => {
            let of_dict =
                tree.field(members, "function").is_some_and(|function| tree.text(function) == "dict");
            let list = tree.field(members, "arguments");
            let mut arguments = list.into_iter().flat_map(|list| tree.named_children(list));
            of_dict && arguments.all(|argument| tree.kind(argument) == "keyword_argument")
        }
        _ => false,
    }
}

/// Judges a call that creates a class with fields: their names become code, so they must be constant.
fn fields(walk: &mut Walk<'_>, at: usize, arguments: &[usize]) {
    let tree = walk.tree;
    let is_more = |argument: &&usize| {
        let value = || tree.field(**argument, "value");
        match tree.field(**argument, "name").map(|name| tree.text(name)) {
            Some("fields") => true,
            Some("namespace") => !value().is_some_and(|members| has_constant_keys(walk, members)),
            _ => tree.kind(**argument) == "dictionary_splat",
        }
    };
    let is_computed = arguments.iter().any(|argument| is_more(&argument));
    let fields = arguments
        .get(1)
        .filter(|_| !is_computed)
        .filter(|fields| matches!(tree.kind(**fields), "list" | "tuple"));
    let is_constant = |field: usize| {
        let is_pair = matches!(tree.kind(field), "list" | "tuple");
        let name = if is_pair { tree.named_children(field).next() } else { Some(field) };
        name.is_some_and(|name| walk.values.texts_of(name).is_some())
    };
    if !fields.is_some_and(|fields| tree.named_children(*fields).all(is_constant)) {
        walk.undecided(at, "a class with computed fields");
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

/// Adds the members that the formatting of a text reads.
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
