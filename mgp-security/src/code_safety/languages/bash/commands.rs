//! Commands: the programs that they run, directly or through others.

use super::{
    command::Command,
    files::shown,
    interpreters, special_commands,
    walk::Walk,
    words::{OPAQUE, word, words},
    wrappers,
};
use crate::code_safety::{finding::Kind, policy::Special};
use std::borrow::Cow;

/// The most nested wrappers in one command.
const WRAPPERS: usize = 8;

/// The folders in which programs have the names that the policy knows.
const FOLDERS: [&str; 8] = [
    "/bin/",
    "/usr/bin/",
    "/usr/local/bin/",
    "/sbin/",
    "/usr/sbin/",
    "/usr/local/sbin/",
    "/opt/homebrew/bin/",
    "/snap/bin/",
];

/// Adds the findings of a command.
pub(super) fn visit(walk: &mut Walk<'_>, at: usize) {
    let tree = walk.tree;
    let mut nodes = tree.children(at).filter(|at| {
        !matches!(
            tree.kind(*at),
            "variable_assignment" | "file_redirect" | "herestring_redirect" | "subshell"
        )
    });
    let Some(name) = nodes.next() else { return };
    let computed = super::files::is_computed(walk, name);
    let mut all: Vec<String> = vec![word(tree, walk.scope, name)];
    if computed {
        walk.undecided(at, "a program with a computed name");
        all = all[0].split_whitespace().map(str::to_owned).collect();
    }
    all.extend(nodes.flat_map(|at| words(tree, walk.scope, at)));
    let is_function = all.first().is_some_and(|name| walk.scope.is_function(name, at, walk.is_nested));
    if !is_function || is_known(walk, &all[0]) {
        run(walk, at, all);
    }
}

/// Adds the findings of a program, and of the programs that it runs in turn.
pub(super) fn run(walk: &mut Walk<'_>, at: usize, mut words: Vec<String>) {
    for _ in 0..WRAPPERS {
        if words.is_empty() {
            return;
        }
        let arguments = words.split_off(1);
        let first = words.remove(0);
        if first.contains(OPAQUE) || first.is_empty() {
            return walk.undecided(at, "a program with a computed name");
        }
        let command = Command { at, program: program_name(walk, &first), arguments };
        let special = walk.policy.special(&command.program);
        if special != Some(Special::Import) {
            walk.add(at, Kind::Import(command.program.clone()));
        }
        options(walk, &command);
        if special != Some(Special::Wrapper) {
            return special_commands::visit(walk, &command);
        }
        words = wrappers::wrapped(walk, command);
    }
    walk.undecided(at, "programs that run each other too often");
}

/// Returns whether the policy knows a program.
pub(super) fn is_known(walk: &Walk<'_>, name: &str) -> bool {
    walk.policy.own(name).is_some() || walk.policy.special(name).is_some() || walk.policy.lists(name)
}

/// Returns the name of a program without its folder and its version.
fn program_name(walk: &Walk<'_>, word: &str) -> String {
    let name = FOLDERS.iter().find_map(|folder| word.strip_prefix(folder)).unwrap_or(word);
    let name = if name.contains('/') { word } else { name };
    let versionless = name.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-'));
    let known = [name, versionless].into_iter().find(|name| is_known(walk, name));
    known.unwrap_or(name).to_owned()
}

/// Adds the findings of options.
fn options(walk: &mut Walk<'_>, command: &Command) {
    let program = &command.program;
    if !walk.policy.knows_beginning(&format!("{program}:")) {
        return;
    }
    let is_verb = |word: &String| !word.starts_with('-');
    let before_verb = command.arguments.iter().position(is_verb).map_or(usize::MAX, |at| at + 1);
    // After its subcommand, the options of git belong to the subcommand.
    let scanned = if program == "git" { before_verb } else { usize::MAX };
    let special = walk.policy.special(program);
    // After its script or module, the options of an interpreter belong to the script.
    let scanned = match special {
        Some(Special::Interpreter) => scanned.min(interpreters::before_script(program, &command.arguments)),
        _ => scanned,
    };
    // The first option of AWK in a word takes the rest of the word.
    let letters = if special == Some(Special::Awk) { 1 } else { usize::MAX };
    let valued = interpreters::valued_letters(program);
    for (index, argument) in command.arguments.iter().take(scanned).enumerate() {
        if argument == "--" && program != "find" {
            return;
        }
        // The letters of the options of tar may come first without a dash.
        let is_bundle = program == "tar" && index == 0 && !argument.starts_with(['-', OPAQUE]);
        let argument =
            if is_bundle { Cow::Owned(format!("-{argument}")) } else { Cow::Borrowed(argument.as_str()) };
        if argument.starts_with(OPAQUE) || argument.starts_with('-') && argument.contains(OPAQUE) {
            walk.undecided(command.at, &format!("an argument of '{program}' that may be an option"));
            continue;
        }
        let option = argument.split('=').next().unwrap_or_default();
        let own = walk.policy.own(&format!("{program}:{option}"));
        let long = option.strip_prefix("--").filter(|name| !name.is_empty());
        let found = own.or_else(|| match long {
            Some(name) => walk.policy.beginning_with(&format!("{program}:--{name}")),
            None if program == "find" => None,
            None => {
                let letters = option.strip_prefix('-')?.chars().take(letters);
                // The text after a letter that takes a value is the value.
                let mut ended = false;
                let letters =
                    letters.take_while(|letter| !std::mem::replace(&mut ended, valued.contains(*letter)));
                letters
                    .filter_map(|letter| walk.policy.own(&format!("{program}:-{letter}")))
                    .min_by_key(|c| *c as u32)
            }
        });
        if let Some(capability) = found {
            walk.add(command.at, Kind::Does(capability, format!("'{program} {}'", shown(&argument))));
        }
    }
}
