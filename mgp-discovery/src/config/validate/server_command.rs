//! `servers[].commands`.

use super::checks::Checks;
use crate::config::{CommandPart, CommandTool, command_parts, path::KeyPath};
use serde_json::Value;
use std::collections::BTreeSet;

/// The types that an argument may have.
const TYPES: [&str; 5] = ["string", "integer", "number", "boolean", "array"];

pub(super) fn commands(commands: &[CommandTool], path: &KeyPath, checks: &mut Checks<'_>) {
    checks.count(path.clone(), commands.len());
    checks.distinct(path, "name", commands.iter().map(|command| command.name.as_str()));
    for (i, command) in commands.iter().enumerate() {
        one(command, &path.index(i), checks);
    }
}

fn one(command: &CommandTool, path: &KeyPath, checks: &mut Checks<'_>) {
    let is_legal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if !(1..=64).contains(&command.name.len()) || !command.name.chars().all(is_legal) {
        let expected = "expected 1 to 64 letters, digits, '_' and '-'";
        checks.say(path.key("name"), format!("{:?} is not a name of a tool: {expected}", command.name));
    }
    checks.text(path.key("description"), &command.description);
    checks.range(path.key("timeout_ms"), command.timeout_ms, 1..=3_600_000);
    checks.range(path.key("max_output_bytes"), command.max_output_bytes, 1..=16_777_216);
    argv(command, path, checks);
    checks.count(path.key("arguments"), command.arguments.len());
    for (name, schema) in &command.arguments {
        argument(name, schema, &path.key("arguments").key(name), checks);
    }
}

fn argv(command: &CommandTool, path: &KeyPath, checks: &mut Checks<'_>) {
    let list = path.key("argv");
    checks.count(list.clone(), command.argv.len());
    let mut used = BTreeSet::new();
    for (i, element) in command.argv.iter().enumerate() {
        let here = list.index(i);
        checks.text(here.clone(), element.value());
        let parts = match command_parts(element.value()) {
            Ok(parts) => parts,
            Err(problem) => {
                checks.say(here, problem);
                continue;
            }
        };
        for part in parts {
            let CommandPart::Argument(name) = part else { continue };
            if i == 0 {
                checks.say(here.clone(), "the program is an argument of the call: expected its name or path");
            } else if !command.arguments.contains_key(&name) {
                let problem = format!("{{{name}}} is not an argument: expected a key of arguments");
                checks.advise(here.clone(), problem, "{{ and }} stand for braces");
            }
            used.insert(name);
        }
    }
    match command.argv.first() {
        None => checks.say(list, "empty: expected the program and its arguments"),
        Some(program) if program.value().trim().is_empty() => {
            checks.say(list.index(0), "empty: expected the program to start");
        }
        Some(program) => checks.path(list.index(0), program),
    }
    for name in command.arguments.keys().filter(|name| !used.contains(*name)) {
        checks
            .say_of_key(path.key("arguments").key(name), format!("is not used: expected {{{name}}} in argv"));
    }
}

fn argument(name: &str, schema: &Value, path: &KeyPath, checks: &mut Checks<'_>) {
    let is_legal = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !(1..=64).contains(&name.len()) || !name.chars().all(is_legal) {
        let expected = "expected 1 to 64 letters, digits, '_' and '-'";
        checks.say_of_key(path.clone(), format!("{name:?} is not a name of an argument: {expected}"));
    }
    let Some(schema) = schema.as_object() else {
        return checks
            .say(path.clone(), "expected a table, such as { type = \"string\", description = \"..\" }");
    };
    let kind = schema.get("type").and_then(Value::as_str);
    if !kind.is_some_and(|kind| TYPES.contains(&kind)) {
        let found = schema.get("type").map_or("none".to_owned(), ToString::to_string);
        checks.say(
            path.key("type"),
            format!("{found} is not a type of an argument: expected one of {}", TYPES.join(", ")),
        );
    }
    let items = schema.get("items").and_then(|items| items.get("type")).and_then(Value::as_str);
    if kind == Some("array") && !items.is_none_or(|items| TYPES[..4].contains(&items)) {
        checks.say(path.key("items"), "expected items of a plain type, because each becomes one argument");
    }
    if schema.get("optional").is_some_and(|optional| !optional.is_boolean()) {
        checks.say(path.key("optional"), "expected true or false");
    }
}
