//! Calls whose arguments show what they do.

use super::{
    modules::module_name,
    targets::{Source, constant_key, is_cast},
    walk::Walk,
};
use crate::code_safety::{
    capability::Capability,
    finding::Kind,
    languages::{value::Value, working_folder::is_in_working_folder},
    policy::Special,
    source_tree::SourceTree,
};

/// Judges a call by its arguments.
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
            Some(Special::Open) => read_file(walk, at, name, &arguments),
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

/// Returns whether an expression is called at its position.
pub(super) fn is_called(tree: &SourceTree<'_>, at: usize) -> bool {
    tree.kind(tree.parent(at)) == "call_expression" && tree.items[at].field == "function"
}

/// Returns whether the result of a call has its own name, and is not part of a longer one.
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

/// Functions that read a file open it with the flag in their options.
fn read_file(walk: &mut Walk<'_>, at: usize, name: &str, arguments: &[usize]) {
    walk.add(at, Kind::Use(name.to_owned()));
    let reads = !arguments.iter().take(1).any(|at| walk.tree.kind(*at) == "spread_element")
        && arguments.iter().skip(1).all(|at| only_reads(walk, *at));
    if !reads {
        walk.add(at, Kind::Does(Capability::WriteAnywhere, format!("'{name}' with options")));
    }
}

/// Returns whether an argument contains only flags for reading.
fn only_reads(walk: &Walk<'_>, argument: usize) -> bool {
    let tree = walk.tree;
    let mut inner = argument;
    while is_cast(tree.kind(inner)) {
        let Some(child) = tree.named_children(inner).next() else { return false };
        inner = child;
    }
    match tree.kind(inner) {
        "null" | "undefined" => true,
        "object" => tree.named_children(inner).all(|pair| {
            let key = tree.field(pair, "key").and_then(|key| constant_key(tree, key));
            let value = tree.field(pair, "value").and_then(|value| walk.values.texts_of(value));
            match key.as_deref() {
                Some("flag" | "flags") => {
                    value.is_some_and(|flags| flags.iter().all(|flag| matches!(*flag, "r" | "rs")))
                }
                Some(key) => key != "__proto__",
                None => {
                    matches!(tree.kind(pair), "shorthand_property_identifier")
                        && !matches!(tree.text(pair), "flag" | "flags")
                }
            }
        }),
        _ => {
            let values = walk.values.of(inner);
            let is_data = |value: &Value| matches!(value, Value::Text(_) | Value::Number | Value::Function);
            !values.is_empty() && values.iter().all(is_data)
        }
    }
}

/// Timers take a function, or a text that is run as code.
fn timer(walk: &mut Walk<'_>, at: usize, name: &str, arguments: &[usize]) {
    let tree = walk.tree;
    let Some(code) = arguments.first() else { return };
    let values = walk.values.of(*code);
    let operator = tree.field(*code, "operator").map(|operator| tree.text(operator));
    let is_joined = tree.kind(*code) == "binary_expression" && operator == Some("+");
    let is_text = |value: &Value| matches!(value, Value::Text(_));
    let is_parameter = tree.kind(*code) == "identifier"
        && walk
            .values
            .bindings()
            .names
            .get(tree.text(*code))
            .is_some_and(|sources| sources.iter().any(|source| matches!(source, Source::Parameter)));
    let may_be_text = values.iter().any(is_text) && !is_parameter;
    if may_be_text || is_joined || matches!(tree.kind(*code), "template_string" | "string_fragment") {
        walk.add(at, Kind::Does(Capability::Eval, format!("'{name}' with a text")));
    } else if !values.iter().all(|value| is_function(walk, value)) && !is_resolver(walk, *code) {
        walk.undecided(at, &format!("'{name}' with a possible text"));
    }
}

/// Returns whether a value is a function of the code or of the language, and not a name for a text.
fn is_function(walk: &Walk<'_>, value: &Value) -> bool {
    match value {
        Value::Function => true,
        Value::Name(name) => {
            matches!(
                name.as_str(),
                "console.log" | "console.info" | "console.warn" | "console.error" | "process.exit"
            ) || walk.policy.special(name).is_some()
        }
        _ => false,
    }
}

/// Returns whether a call of an unknown value's `constructor` may compile a text to a function.
fn makes_function(walk: &Walk<'_>, at: usize, arguments: &[usize]) -> bool {
    let tree = walk.tree;
    let is_text = |at: usize| tree.kind(at) == "template_string" || walk.values.texts_of(at).is_some();
    let of_this = tree
        .field(at, "constructor")
        .and_then(|constructor| tree.field(constructor, "object"))
        .is_some_and(|object| tree.kind(object) == "this");
    let holds_text = |at: &usize| match tree.kind(*at) {
        "binary_expression" if of_this => tree.named_children(*at).any(is_text),
        "binary_expression" => true,
        _ => is_text(*at),
    };
    tree.kind(at) == "call_expression" || arguments.iter().any(holds_text)
}

/// Returns whether an identifier is a parameter of a function that a promise calls, so that it can only be a function.
fn is_resolver(walk: &Walk<'_>, at: usize) -> bool {
    let tree = walk.tree;
    let name = tree.text(at);
    let names = &walk.values.bindings().names;
    let is_given = names.get(name).is_some_and(|sources| {
        sources.iter().all(|source| matches!(source, Source::Parameter | Source::Function))
    });
    if !is_given || names.contains_key("Promise") {
        return false;
    }
    let mut above = at;
    while above != tree.parent(above) {
        above = tree.parent(above);
        let parameters = tree.field(above, "parameters").or_else(|| tree.field(above, "parameter"));
        let Some(parameters) = parameters else { continue };
        let binds = (parameters..tree.items[parameters].end)
            .any(|at| tree.kind(at) == "identifier" && tree.text(at) == name);
        if binds {
            let call = tree.parent(tree.parent(above));
            let constructor = tree.field(call, "constructor");
            return constructor.is_some_and(|constructor| tree.text(constructor) == "Promise");
        }
    }
    false
}
