//! Commands whose arguments show what they do.

use super::{
    arithmetic,
    commands::{Command, run},
    files::{shown, write},
    scripts,
    walker::Walk,
    words::OPAQUE,
};
use crate::code_safety::{
    capability::Capability, finding::Kind, languages::working_folder::is_in_working_folder, policy::Special,
};

/// Adds what a command does by its arguments.
pub(super) fn visit(walk: &mut Walk<'_>, command: &Command) {
    match walk.policy.special(&command.program) {
        Some(Special::Interpreter) => interpreter(walk, command),
        Some(Special::Import) => source(walk, command),
        Some(Special::Trap) => trap(walk, command),
        Some(Special::Find) => find(walk, command),
        Some(Special::Awk) => awk(walk, command),
        Some(Special::Sed) => sed(walk, command),
        Some(Special::WriteFile) => {
            // The value of an option may be the folder that is written.
            let files = command.arguments.iter().filter(|word| !word.starts_with('-') || word.contains('/'));
            files.for_each(|file| write(walk, command.at, file, false));
        }
        Some(Special::Output) => {
            operands(command).skip(1).for_each(|file| write(walk, command.at, file, false));
        }
        Some(Special::Remove) => remove(walk, command),
        Some(Special::ChangeFolder) => change_folder(walk, command),
        Some(Special::Names) => names(walk, command),
        None if command.program == "set" && command.arguments.iter().any(|word| word == "keyword") => {
            does(walk, command, Capability::Introspection, " of what a command sets");
        }
        _ => {}
    }
}

/// Returns whether a word is an option with a long name, which may be cut short, with or without a value.
fn is_long(word: &str, name: &str) -> bool {
    let given = word.strip_prefix("--").map(|word| word.split('=').next().unwrap_or_default());
    given.is_some_and(|given| !given.is_empty() && name.starts_with(given))
}

fn operands(command: &Command) -> impl Iterator<Item = &String> {
    command.arguments.iter().filter(|word| !word.starts_with('-'))
}

fn does(walk: &mut Walk<'_>, command: &Command, capability: Capability, what: &str) {
    walk.add(command.at, Kind::Does(capability, format!("'{}'{what}", command.program)));
}

/// An interpreter runs a file, or else its input.
fn interpreter(walk: &mut Walk<'_>, command: &Command) {
    let shows = |word: &String| matches!(word.as_str(), "--version" | "-V" | "-v" | "--help" | "-h");
    if !command.arguments.is_empty() && command.arguments.iter().all(shows) {
        return;
    }
    match command.arguments.iter().find(|word| !word.starts_with('-') || *word == "-") {
        _ if command.arguments.iter().any(|word| word.starts_with("-m")) => {}
        Some(file) if file.contains(OPAQUE) => {
            walk.undecided(command.at, "a script with a computed name");
        }
        Some(file) if file != "-" && !file.starts_with("/dev/") && !file.starts_with("/proc/") => {
            walk.add(command.at, Kind::Import(path(file)));
        }
        _ => does(walk, command, Capability::Eval, " with its input"),
    }
}

/// Returns a path that nobody takes for the name of a program.
fn path(file: &str) -> String {
    if file.contains('/') { file.to_owned() } else { format!("./{file}") }
}

fn source(walk: &mut Walk<'_>, command: &Command) {
    match command.arguments.first() {
        Some(file) if file == &OPAQUE.to_string() => {
            walk.undecided(command.at, "a script with a computed name");
        }
        Some(file) if file.starts_with("/dev/") || file.starts_with("/proc/") => {
            does(walk, command, Capability::Eval, " with a stream");
        }
        Some(file) => walk.add(command.at, Kind::Import(path(file))),
        None => {}
    }
    let tree = walk.tree;
    let mut below = command.at..tree.items[command.at].end;
    if below.any(|at| tree.kind(at) == "process_substitution") {
        does(walk, command, Capability::Eval, " with a stream");
    }
}

fn trap(walk: &mut Walk<'_>, command: &Command) {
    let Some(code) = command.arguments.first() else { return };
    match code.as_str() {
        "-" | "-l" | "" => {}
        code if code.contains(OPAQUE) => walk.undecided(command.at, "a trap with computed code"),
        code => walk.nested.push((code.to_owned(), walk.tree.place(command.at))),
    }
}

fn find(walk: &mut Walk<'_>, command: &Command) {
    for (at, word) in command.arguments.iter().enumerate() {
        if matches!(word.as_str(), "-exec" | "-execdir") {
            let words =
                command.arguments[at + 1..].iter().take_while(|word| !matches!(word.as_str(), ";" | "+"));
            // Each of many such words could be followed by all of the others.
            let words = words.take_while(|word| walk.tree.copies(word));
            let words = words.map(|word| if word == "{}" { OPAQUE.to_string() } else { word.clone() });
            let words = words.collect();
            run(walk, command.at, words);
        }
    }
}

fn awk(walk: &mut Walk<'_>, command: &Command) {
    let mut rest = command.arguments.iter();
    while let Some(word) = rest.next() {
        match word.as_str() {
            "-F" | "-v" => {
                rest.next();
            }
            option if option.starts_with('-') && option != "-" => {}
            program if program.contains(OPAQUE) => {
                return walk.undecided(command.at, "a computed program of AWK");
            }
            program => {
                if let Some(capability) = scripts::awk(program) {
                    does(walk, command, capability, " with its program");
                }
                return;
            }
        }
    }
}

fn sed(walk: &mut Walk<'_>, command: &Command) {
    let words = &command.arguments;
    let mut scripts: Vec<&str> = Vec::new();
    let mut writes = false;
    for (at, word) in words.iter().enumerate() {
        writes |= is_long(word, "in-place")
            || word.starts_with('-') && !word.starts_with("--") && word.contains('i');
        let is_last_letter = word.starts_with('-') && !word.starts_with("--") && word.ends_with('e');
        let attached = word.split_once('=').map(|(_, script)| script);
        if is_long(word, "expression") {
            scripts.extend(attached.or_else(|| words.get(at + 1).map(String::as_str)));
        } else if is_last_letter {
            scripts.extend(words.get(at + 1).map(String::as_str));
        } else if let Some(script) = word.strip_prefix("-e") {
            scripts.push(script);
        }
    }
    if scripts.is_empty() {
        scripts.extend(operands(command).next().map(String::as_str));
    }
    for script in &scripts {
        if script.contains(OPAQUE) {
            walk.undecided(command.at, "a computed script of sed");
        } else if let Some(capability) = scripts::sed(script) {
            does(walk, command, capability, " with its script");
        }
    }
    if writes {
        let files = operands(command).filter(|word| !scripts.contains(&word.as_str()));
        files.for_each(|file| write(walk, command.at, file, false));
    }
}

/// Removing a folder that the code itself has made, or names in the working folder, is no more than removing a file.
fn remove(walk: &mut Walk<'_>, command: &Command) {
    let recursive = command.arguments.iter().any(|word| {
        let letters = word.strip_prefix('-').filter(|letters| !letters.starts_with('-'));
        letters.is_some_and(|letters| letters.contains(['r', 'R'])) || is_long(word, "recursive")
    });
    let is_near = |word: &String| is_in_working_folder(word.trim_end_matches('/'));
    if recursive && !walk.removes_temporary(command.at) && !operands(command).all(is_near) {
        does(walk, command, Capability::DeleteTree, " of a folder");
    }
}

fn change_folder(walk: &mut Walk<'_>, command: &Command) {
    let is_near = |word: &String| !word.contains(OPAQUE) && (word == "." || is_in_working_folder(word));
    if command.arguments.is_empty()
        || !operands(command).all(is_near)
        || command.arguments.iter().any(|word| word == "-")
    {
        does(walk, command, Capability::WriteAnywhere, " to another folder");
    }
}

/// Adds the variables that a command sets.
fn names(walk: &mut Walk<'_>, command: &Command) {
    for word in operands(command) {
        let name = word.split(['=', '[', '+']).next().unwrap_or_default();
        walk.set(command.at, name);
        // Such as by a command that a variable names.
        if walk.scope.is_certain(walk.policy, name) {
            walk.undecided(command.at, "a variable that is set out of sight");
        }
        if word.contains('[') && word.contains('$') {
            walk.undecided(command.at, &format!("'{}' as a variable", shown(word)));
        }
    }
    if command.program == "let" {
        for word in operands(command) {
            arithmetic::sets(walk, command.at, word);
        }
        let parts = operands(command).flat_map(|word| word.split(|c: char| !c.is_alphanumeric() && c != '_'));
        let names: Vec<&str> = parts.filter(|name| !name.is_empty()).collect();
        if names.iter().any(|name| name.parse::<u32>().is_err() && !walk.scope.is_number(name)) {
            walk.undecided(command.at, "arithmetic with what may be no number");
        }
    }
}
