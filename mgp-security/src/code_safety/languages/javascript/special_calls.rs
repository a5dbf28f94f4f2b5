//! Calls whose arguments show what they do.

use super::{
    modules::module_name,
    walker::{Walk, is_resolver},
};
use crate::code_safety::{
    capability::Capability,
    finding::Kind,
    languages::{value::Value, working_folder::is_in_working_folder},
    policy::Special,
    source_tree::SourceTree,
};

/// Adds what a call does by its arguments.
pub(super) fn visit(walk: &mut Walk<'_>, at: usize) {
    let tree = walk.tree;
    let Some(function) = tree.field(at, "function").or_else(|| tree.field(at, "constructor")) else { return };
    let list = tree.field(at, "arguments");
    let arguments: Vec<usize> = list.map(|list| tree.named_children(list).collect()).unwrap_or_default();
    let phase = tree.field(function, "object");
    if tree.kind(function) == "import" || phase.is_some_and(|at| tree.kind(at) == "import") {
        import(walk, at, &arguments);
        if tree.kind(tree.parent(at)) != "await_expression"
            && tree.kind(tree.parent(at)) != "expression_statement"
        {
            walk.undecided(at, "an import whose module is passed on");
        }
        return;
    }
    let names: Vec<String> = walk.values.names_of(function).map(str::to_owned).collect();
    for name in &names {
        match walk.policy.special(name) {
            Some(Special::Attribute) => member(walk, at, &arguments),
            Some(Special::Import) => import(walk, at, &arguments),
            Some(Special::WriteFile) => write_file(walk, at, name, &arguments),
            Some(Special::Timer) => timer(walk, at, name, &arguments),
            _ => {}
        }
        if name == "constructor" && makes_function(walk, at, &arguments) {
            walk.add(at, Kind::Does(Capability::Eval, "'constructor'".to_owned()));
        }
    }
    if is_resolved(walk, at) && !walk.is_tracked(at) {
        walk.names(at);
    }
}

/// Returns whether an expression is called where it stands.
pub(super) fn is_called(tree: &SourceTree<'_>, at: usize) -> bool {
    tree.kind(tree.parent(at)) == "call_expression" && tree.items[at].field == "function"
}

/// Returns whether what a call returns has a name of its own, and is no part of a longer one.
fn is_resolved(walk: &Walk<'_>, at: usize) -> bool {
    let tree = walk.tree;
    let mut outer = at;
    while matches!(tree.kind(tree.parent(outer)), "parenthesized_expression" | "await_expression") {
        outer = tree.parent(outer);
    }
    let is_part =
        tree.items[outer].field == "object" || tree.kind(tree.parent(outer)) == "expression_statement";
    walk.values.names_of(at).next().is_some() && !is_part
}

/// Adds the module that the first argument names.
fn import(walk: &mut Walk<'_>, at: usize, arguments: &[usize]) {
    let texts = arguments.first().and_then(|argument| walk.values.texts_of(*argument));
    match texts {
        Some(texts) => {
            texts.into_iter().for_each(|text| walk.import(at, module_name(text)));
        }
        None => walk.undecided(at, "an import with a computed name"),
    }
}

/// Adds the member of the first argument that the second one names.
fn member(walk: &mut Walk<'_>, at: usize, arguments: &[usize]) {
    let texts = arguments.get(1).and_then(|argument| walk.values.texts_of(*argument));
    let Some(texts) = texts else { return walk.undecided(at, "a member with a computed name") };
    for text in texts {
        walk.add(at, Kind::Member(text.to_owned()));
    }
    let names: Vec<String> = walk.values.names_of(at).map(str::to_owned).collect();
    names.into_iter().for_each(|name| walk.add(at, Kind::Use(name)));
}

fn write_file(walk: &mut Walk<'_>, at: usize, name: &str, arguments: &[usize]) {
    let paths = arguments.first().and_then(|path| walk.values.texts_of(*path));
    let is_near = paths.is_some_and(|paths| paths.iter().all(|path| is_in_working_folder(path)));
    let capability = if is_near { Capability::Write } else { Capability::WriteAnywhere };
    walk.add(at, Kind::Does(capability, format!("'{name}'")));
}

/// Timers take a function, or a text that is run as code.
fn timer(walk: &mut Walk<'_>, at: usize, name: &str, arguments: &[usize]) {
    let Some(code) = arguments.first() else { return };
    let values = walk.values.of(*code);
    let is_text = values.iter().any(|value| matches!(value, Value::Text(_)))
        || matches!(walk.tree.kind(*code), "template_string" | "binary_expression");
    let is_function = values.iter().all(|value| matches!(value, Value::Function | Value::Name(_)));
    if is_text {
        walk.add(at, Kind::Does(Capability::Eval, format!("'{name}' with a text")));
    } else if !is_function && !is_resolver(walk.tree, *code) {
        walk.undecided(at, &format!("'{name}' with what may be a text"));
    }
}

/// Returns whether a call of an unknown value's `constructor` may make a function of a text.
fn makes_function(walk: &Walk<'_>, at: usize, arguments: &[usize]) -> bool {
    let holds_text = |at: &usize| {
        let of_text = matches!(walk.tree.kind(*at), "template_string" | "binary_expression");
        of_text || walk.values.texts_of(*at).is_some()
    };
    walk.tree.kind(at) == "call_expression" || arguments.iter().any(holds_text)
}
