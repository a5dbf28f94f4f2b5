//! Commands whose arguments show what they do.

use super::{arithmetic, command::Command, commands::run, files::write, scripts, walk::Walk, words::OPAQUE};
use crate::code_safety::{
    capability::Capability, finding::Kind, languages::working_folder::is_in_working_folder, policy::Special,
};

/// Judges a command by its arguments.
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
            let names_place = |word: &String| word.contains(['/', '~', OPAQUE]) || word.contains("..");
            let files = command.arguments.iter().filter(|word| !word.starts_with('-') || names_place(word));
            files.for_each(|file| write(walk, command.at, file, false));
        }
        Some(Special::Output) => {
            if command.arguments.iter().any(|word| word.contains(OPAQUE)) {
                walk.undecided(command.at, "an argument that may be a file to write");
            }
            operands(command).skip(1).for_each(|file| write(walk, command.at, file, false));
        }
        Some(Special::Remove) => remove(walk, command),
        Some(Special::ChangeFolder) => change_folder(walk, command),
        Some(Special::Names) => names(walk, command),
        None if command.program == "test" && tests_variable(&command.arguments) => {
            walk.undecided(command.at, "a test of a variable");
        }
        None if command.program == "set" && changes_reading(&command.arguments) => {
            does(walk, command, Capability::Introspection, " of what a command sets");
        }
        _ => {}
    }
}

/// Returns whether `test` may read a variable by its name, whose index Bash evaluates.
fn tests_variable(arguments: &[String]) -> bool {
    let is_operator = |word: &String| matches!(word.as_str(), "-v" | "-R");
    let may_be_one = arguments.iter().any(|word| word.starts_with(OPAQUE));
    arguments.iter().any(is_operator)
        || may_be_one && arguments.iter().any(|word| word.contains('['))
        || arguments.len() == 1 && may_be_one
}

/// Returns whether `set` changes how Bash reads later lines: assignments after a command, or history expansion.
fn changes_reading(arguments: &[String]) -> bool {
    let names = |word: &String| matches!(word.as_str(), "keyword" | "history" | "histexpand");
    arguments.iter().any(|word| names(word) || word.starts_with('-') && word.contains('H'))
}

/// Returns whether a word is an option with a long name, possibly abbreviated, with or without a value.
fn is_long(word: &str, name: &str) -> bool {
    let given = word.strip_prefix("--").map(|word| word.split('=').next().unwrap_or_default());
    given.is_some_and(|given| !given.is_empty() && name.starts_with(given))
}

/// Returns the arguments that are not options: those without a dash, a single dash, and everything after `--`.
fn operands(command: &Command) -> impl Iterator<Item = &String> {
    let end = command.arguments.iter().position(|word| word == "--").unwrap_or(usize::MAX);
    let is_operand = move |at: usize, word: &str| at > end || word == "-" || !word.starts_with('-');
    command.arguments.iter().enumerate().filter_map(move |(at, word)| is_operand(at, word).then_some(word))
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

/// Returns a path that cannot be mistaken for the name of a program.
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
        if matches!(word.as_str(), "-execdir" | "-okdir") {
            walk.undecided(command.at, "a command in a folder that find finds");
        }
        if matches!(word.as_str(), "-exec" | "-execdir" | "-ok" | "-okdir") {
            // A plus ends the command only after the braces.
            let mut before = "";
            let words = command.arguments[at + 1..].iter().take_while(|word| {
                let ends = word.as_str() == ";" || word.as_str() == "+" && before == "{}";
                before = word.as_str();
                !ends
            });
            // Each of many such words could be followed by all of the others.
            let words = words.take_while(|word| walk.tree.copies(word));
            let words = words.map(|word| word.replace("{}", &OPAQUE.to_string()));
            let words = words.collect();
            run(walk, command.at, words);
        }
    }
}

fn awk(walk: &mut Walk<'_>, command: &Command) {
    let is_assignment = |option: &str| is_long(option, "assign") || is_long(option, "field-separator");
    let mut rest = command.arguments.iter();
    while let Some(word) = rest.next() {
        match word.as_str() {
            "-F" | "-v" => {
                rest.next();
            }
            option if is_assignment(option) => {
                if !option.contains('=') {
                    rest.next();
                }
            }
            option if option.starts_with("-F") || option.starts_with("-v") => {}
            "--" => {}
            option if option.starts_with('-') && option != "-" => {
                let is_flag = |c: char| "bcCghMnNOPrsStV".contains(c);
                if !option[1..].chars().all(is_flag) {
                    walk.undecided(command.at, "an option of AWK that may name a program or a file");
                }
            }
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

/// The arguments of sed that decide which files and scripts it uses.
#[derive(Debug, Default)]
struct SedArguments<'a> {
    scripts: Vec<&'a str>,
    files: Vec<&'a str>,
    writes: bool,
}

impl<'a> SedArguments<'a> {
    fn of(command: &'a Command) -> Self {
        let (mut found, mut operands) = (Self::default(), Vec::new());
        let mut rest = command.arguments.iter().map(String::as_str);
        while let Some(word) = rest.next() {
            if word == "--" {
                operands.extend(rest.by_ref());
            } else if word.starts_with("--") {
                let value = word.split_once('=').map(|(_, value)| value);
                found.writes |= is_long(word, "in-place");
                if is_long(word, "expression") {
                    found.scripts.extend(value.or_else(|| rest.next()));
                } else if is_long(word, "line-length") && value.is_none() {
                    rest.next();
                }
            } else if let Some(letters) = word.strip_prefix('-').filter(|letters| !letters.is_empty()) {
                found.letters(letters, &mut rest);
            } else {
                operands.push(word);
            }
        }
        let mut operands = operands.into_iter();
        if found.scripts.is_empty() {
            found.scripts.extend(operands.next());
        }
        found.files.extend(operands);
        found
    }

    /// Takes the options of one word. An option that takes a value ends them.
    fn letters(&mut self, letters: &'a str, rest: &mut impl Iterator<Item = &'a str>) {
        for (at, letter) in letters.char_indices() {
            let behind = &letters[at + letter.len_utf8()..];
            let attached = Some(behind).filter(|behind| !behind.is_empty());
            match letter {
                'e' => return self.scripts.extend(attached.or_else(|| rest.next())),
                'f' | 'l' => {
                    if attached.is_none() {
                        rest.next();
                    }
                    return;
                }
                // The rest is the suffix of the backup files.
                'i' => {
                    self.writes = true;
                    return;
                }
                _ => {}
            }
        }
    }
}

fn sed(walk: &mut Walk<'_>, command: &Command) {
    let SedArguments { scripts, files, writes } = SedArguments::of(command);
    for script in scripts {
        if script.contains(OPAQUE) {
            walk.undecided(command.at, "a computed script of sed");
        } else if let Some(capability) = scripts::sed(script) {
            does(walk, command, capability, " with its script");
        }
    }
    if writes {
        files.into_iter().for_each(|file| write(walk, command.at, file, false));
    }
}

/// Returns whether a path leads to a file or folder in the working folder, other than that of git.
fn is_below_working_folder(path: &str) -> bool {
    let path = path.strip_prefix("./").unwrap_or(path).trim_end_matches('/');
    let is_name = |part: &str| !part.is_empty() && !matches!(part, "." | ".." | ".git");
    !path.starts_with('~') && !path.contains([OPAQUE, '$', '\\']) && path.split('/').all(is_name)
}

/// Removing a folder that the code itself made, or that it names in the working folder, is equivalent to removing a file.
fn remove(walk: &mut Walk<'_>, command: &Command) {
    let recursive = command.arguments.iter().any(|word| {
        let letters = word.strip_prefix('-').filter(|letters| !letters.starts_with('-'));
        letters.is_some_and(|letters| letters.contains(['r', 'R'])) || is_long(word, "recursive")
    });
    if recursive
        && !walk.removes_temporary(command.at)
        && !operands(command).all(|word| is_below_working_folder(word))
    {
        does(walk, command, Capability::DeleteTree, " of a folder");
    }
}

fn change_folder(walk: &mut Walk<'_>, command: &Command) {
    let is_near = |word: &String| {
        !word.contains(OPAQUE) && !word.starts_with('+') && (word == "." || is_in_working_folder(word))
    };
    if operands(command).next().is_none()
        || !operands(command).all(is_near)
        || command.arguments.iter().any(|word| word == "-")
    {
        does(walk, command, Capability::WriteAnywhere, " to another folder");
    }
}

/// Returns the name after the letter of an option in the same word, as in `read -aNAME`.
fn attached_name<'a>(program: &str, word: &'a str) -> Option<&'a str> {
    let (takes, others) = match program {
        "read" => ('a', "dinNptu"),
        "printf" => ('v', ""),
        "wait" => ('p', ""),
        _ => return None,
    };
    let letters = word.strip_prefix('-').filter(|letters| !letters.starts_with('-'))?;
    let at = letters.find(|c: char| c == takes || others.contains(c))?;
    let name = letters[at..].strip_prefix(takes)?;
    (!name.is_empty()).then_some(name)
}

/// Adds the variables that a command sets.
fn names(walk: &mut Walk<'_>, command: &Command) {
    let is_let = command.program == "let";
    let is_word = |word: &&String| is_let || !word.starts_with('-');
    for word in command.arguments.iter().filter(|word| word.starts_with('-')) {
        if word.contains(OPAQUE) {
            walk.undecided(command.at, "an option that may name a variable");
        }
        if let Some(name) = attached_name(&command.program, word) {
            set(walk, command, name);
        }
    }
    for word in command.arguments.iter().filter(is_word) {
        set(walk, command, word.split(['=', '[', '+']).next().unwrap_or_default());
        arithmetic::indices(walk, command.at, word);
    }
    if is_let {
        for word in &command.arguments {
            arithmetic::sets(walk, command.at, word);
        }
        let parts =
            command.arguments.iter().flat_map(|word| word.split(|c: char| !c.is_alphanumeric() && c != '_'));
        let names: Vec<&str> = parts.filter(|name| !name.is_empty()).collect();
        if names.iter().any(|name| name.parse::<u32>().is_err() && !walk.scope.is_number(name)) {
            walk.undecided(command.at, "arithmetic with a value that may not be a number");
        }
    }
}

/// Adds a variable that a command sets.
fn set(walk: &mut Walk<'_>, command: &Command, name: &str) {
    walk.set(command.at, name);
    // For example, by a command that a variable names. The values of some variables are evaluated.
    if walk.scope.is_certain(walk.policy, name)
        || command.program == "read" && arithmetic::NUMBERS.contains(&name)
    {
        walk.undecided(command.at, "a variable that is set out of sight");
    }
}
