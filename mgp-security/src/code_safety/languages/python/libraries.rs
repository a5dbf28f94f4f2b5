//! Uses of modules and their members other than calls: as values, as targets of changes, and by special methods.

use super::{
    positions::{is_called, is_changed, is_followed, is_itself, out_of_parentheses, passes_itself},
    runtime_names,
    strings::normal,
    walk::Walk,
};
use crate::code_safety::{capability::Capability, finding::Kind, languages::value::Value, policy::prefixes};

/// Judges a name at its position: a module must not become a value that is not followed.
pub(super) fn name(walk: &mut Walk<'_>, at: usize, name: &str) {
    if is_module(walk, name) && !is_followed(walk.tree, at) {
        walk.undecided(at, &format!("the module '{name}' as a value"));
    }
}

/// Returns whether a name is that of a module.
fn is_module(walk: &Walk<'_>, name: &str) -> bool {
    if walk.values.is_imported(name) || SUBMODULES.contains(&name) {
        return true;
    }
    match name.rsplit_once('.') {
        // A module that is a member of another one, as in `dataclasses.re`.
        Some((above, member)) => {
            let is_held = walk.policy.own(name).is_none() && above.rsplit('.').next() != Some(member);
            walk.policy.lists(name) || is_held && walk.policy.lists(member) && walk.policy.allows(above)
        }
        None => walk.policy.is_sensitive_module(name),
    }
}

/// The submodules of allowed modules that can be imported by `from`.
const SUBMODULES: [&str; 11] = [
    "collections.abc",
    "json.decoder",
    "json.encoder",
    "json.scanner",
    "json.tool",
    "html.entities",
    "html.parser",
    "xml.sax",
    "xml.sax.handler",
    "xml.sax.xmlreader",
    "xml.sax.expatreader",
];

/// Judges the use of a member: libraries must not be changed, and special methods must only be called for their own purpose.
pub(super) fn member(walk: &mut Walk<'_>, at: usize) {
    let tree = walk.tree;
    let (Some(object), Some(member)) = (tree.field(at, "object"), tree.field(at, "attribute")) else {
        return;
    };
    let member = normal(tree.text(member));
    let library = walk.values.names_of(object).find(|name| is_of_module(walk, name)).map(str::to_owned);
    if is_changed(tree, at) {
        if let Some(library) = library.filter(|library| !is_stream(library, &member)) {
            return walk
                .add(at, Kind::Does(Capability::Runtime, format!("a change of '{library}.{member}'")));
        }
        let is_name = matches!(member.as_str(), "__name__" | "__qualname__" | "__match_args__")
            || member == "dest" && walk.values.is_imported("argparse");
        if is_name || runtime_names::is_read_by_helpers(&member) {
            walk.undecided(at, &format!("a change of '{member}'"));
        }
        return;
    }
    if matches!(member.as_str(), "__get__" | "__set__" | "__delete__") {
        walk.undecided(at, &format!("'{member}' of a value"));
    }
    if member == "obj" && !is_itself(tree, object) {
        // An error about a missing member has a reference to its object, such as a module.
        walk.undecided(at, "the object of an error");
    }
    let is_format = matches!(member.as_str(), "format" | "format_map");
    let is_of_str = walk.values.names_of(object).any(|name| name == "str");
    let of = walk.values.of(object);
    let is_in_library = |value: &Value| matches!(value, Value::Name(name) if is_of_module(walk, name));
    let is_unknown = of.is_empty() || !of.iter().all(is_in_library);
    let is_plain =
        || walk.values.texts_of(object).is_some_and(|texts| texts.into_iter().all(has_plain_fields));
    if is_format && (is_of_str || is_unknown && !is_called(tree, at) && !is_plain()) {
        walk.undecided(at, "a format as a value");
    }
    let is_construction = matches!(member.as_str(), "__init__" | "__new__");
    let is_special = member.starts_with("__")
        && !matches!(
            member.as_str(),
            "__name__" | "__qualname__" | "__doc__" | "__version__" | "__members__"
        );
    let call = out_of_parentheses(tree, at);
    let is_own_call = is_called(tree, call) && passes_itself(tree, tree.parent(call));
    if (is_construction && !is_of_base(walk, object) || is_special && library.is_some()) && !is_own_call {
        walk.undecided(at, &format!("'{member}' as a function"));
    }
}

/// Returns whether a member of a module is one of the streams and arguments that programs may replace.
fn is_stream(module: &str, member: &str) -> bool {
    module == "sys" && matches!(member, "stdin" | "stdout" | "stderr" | "argv")
}

/// Returns whether no field of a format reads a member or an index of its value.
fn has_plain_fields(format: &str) -> bool {
    let is_plain = |field: &str| {
        let name = field.split(['}', ':', '!']).next().unwrap_or_default();
        name.chars().all(|c| c.is_alphanumeric() || c == '_')
    };
    format.split('{').skip(1).all(is_plain)
}

/// Returns whether an expression is `super()`.
fn is_of_base(walk: &Walk<'_>, object: usize) -> bool {
    let tree = walk.tree;
    let function = tree.field(object, "function").filter(|_| tree.kind(object) == "call");
    let values = function.map(|function| walk.values.of(function)).unwrap_or_default();
    matches!(values, [Value::Name(name)] if name == "super")
}

/// Returns whether a name is that of a module, or below one.
pub(super) fn is_of_module(walk: &Walk<'_>, name: &str) -> bool {
    prefixes(name).any(|above| is_module(walk, above))
}

/// Returns whether a text is only documentation or shown, for example as an argument of `print`.
pub(super) fn is_shown(walk: &Walk<'_>, at: usize) -> bool {
    let tree = walk.tree;
    let parent = tree.parent(at);
    match tree.kind(parent) {
        "expression_statement" => true,
        "argument_list" => {
            let function = tree.field(tree.parent(parent), "function");
            let values = function.map(|function| walk.values.of(function)).unwrap_or_default();
            matches!(values, [Value::Name(name)] if name == "print")
        }
        _ => false,
    }
}

/// Returns whether an assignment gives its name a constant list of names that are harmless as members.
pub(super) fn has_plain_texts(walk: &Walk<'_>, at: usize) -> bool {
    let tree = walk.tree;
    let is_plain = |name: &str| !name.starts_with('_') && walk.policy.member(name).is_none();
    tree.field(tree.parent(at), "right").is_some_and(|list| is_list_of(walk, list, is_plain))
}

/// Returns whether an expression is a list of constant texts that all satisfy `is_of_kind`.
pub(super) fn is_list_of(walk: &Walk<'_>, list: usize, is_of_kind: impl Fn(&str) -> bool) -> bool {
    let is_one = |at: usize| walk.values.texts_of(at).is_some_and(|texts| texts.into_iter().all(&is_of_kind));
    matches!(walk.tree.kind(list), "tuple" | "list") && walk.tree.named_children(list).all(is_one)
}
