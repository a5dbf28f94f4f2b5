//! Finds the commands among the arguments of a call.

use crate::{
    profile::{Leaves, ToolProfile},
    validator::{
        Leaf, LeafKind,
        table::{self, Words},
    },
    words::joined,
};
use serde::Deserialize;
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::LazyLock,
};

/// The words of `places.toml`.
static TABLE: LazyLock<Table> = LazyLock::new(|| table::parse(include_str!("places.toml")));

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    commands: Words,
    perhaps: Words,
    folders: Words,
    prose: Words,
    programs_in_names: Words,
}

/// Names of those members whose items are separate commands, so that an item with a blank is not a word of the first.
const SEVERAL: &[&str] = &["commands", "cmds", "scripts"];

/// Names of members for the arguments of the program in a member next to them.
const ARGUMENTS: &[&str] = &["args", "arguments", "argv", "params", "parameters"];

/// Names of members for variables of a command.
const VARIABLES: &[&str] = &["env", "environ", "environment", "envs", "envvars", "environmentvariables"];

/// Names of members for the shell in which a command runs.
const SHELLS: &[&str] = &["shell", "executable", "terminal"];

/// Names of members for notes.
const NOTES: &[&str] = &["note", "notes", "goal", "tags"];

/// A place in the arguments where a command may be.
#[derive(Debug)]
pub(super) struct Place<'a> {
    /// The part of the arguments that names the place.
    pub(super) leaf: &'a Leaf,
    /// The command.
    pub(super) command: Form,
    /// True if the place is for commands. Elsewhere, only harm counts.
    pub(super) certain: bool,
}

/// A form of a command.
#[derive(Debug)]
pub(super) enum Form {
    /// A variable that is set for a command, with its value.
    Variable(String, String),
    /// A text that a shell reads.
    Text(String),
    /// A program and its arguments, which no shell reads.
    Words(Vec<String>),
}

/// Returns the places where a command may be.
pub(super) fn places<'a>(leaves: &'a [Leaf], profile: &ToolProfile) -> Vec<Place<'a>> {
    let pointed = profile.leaves != Leaves::All;
    let texts = || leaves.iter().filter(|leaf| leaf.kind == LeafKind::Text);
    let named = texts().any(|leaf| is_among(leaf, &TABLE.commands));
    let certain = |leaf: &Leaf| {
        let plain = leaf.text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'));
        pointed
            || is_among(leaf, &TABLE.commands)
            || (!named && (is_among(leaf, &TABLE.perhaps) || !plain && !is_among(leaf, &TABLE.prose)))
    };
    let beside = Neighbours::of(leaves);
    let taken = |leaf: &Leaf| {
        let shell = is_among(leaf, SHELLS) && is_shell(&leaf.text);
        shell && beside.commands > 1 || is_among(leaf, &TABLE.commands) && beside.has_arguments(leaf)
    };
    // True if a member is for a command, so that others need not be.
    let held = texts().any(|leaf| is_among(leaf, &TABLE.commands) || is_among(leaf, &TABLE.perhaps));
    let mut places = Vec::new();
    let mut arrays: BTreeMap<&str, Vec<&Leaf>> = BTreeMap::new();
    for leaf in leaves {
        match (leaf.kind, array_of(leaf)) {
            (LeafKind::Number, _) => {}
            (LeafKind::Name, _) if leaf.is_plain_name() => {}
            (LeafKind::Name, _) => {
                places.push(Place { leaf, command: Form::Text(leaf.text.clone()), certain: false });
            }
            (LeafKind::Text, _) if variable_of(leaf).is_some() => {
                let command = variable_of(leaf).unwrap_or_else(|| Form::Text(leaf.text.clone()));
                places.push(Place { leaf, command, certain: true });
                places.push(Place { leaf, command: Form::Text(leaf.text.clone()), certain: false });
            }
            (LeafKind::Text, Some(array)) => arrays.entry(array).or_default().push(leaf),
            (LeafKind::Text, None) if is_among(leaf, &TABLE.prose) && !pointed && held => {}
            (LeafKind::Text, None) if taken(leaf) => {}
            (LeafKind::Text, None) if held && !certain(leaf) && is_sentence(&leaf.text) => {}
            (LeafKind::Text, None) if let Some(program) = beside.program_of(&leaf.pointer) => {
                let command = Form::Text(format!("{} {}", program.text, leaf.text));
                places.push(Place { leaf: program, command, certain: true });
            }
            (LeafKind::Text, None) => {
                places.push(Place { leaf, command: Form::Text(leaf.text.clone()), certain: certain(leaf) });
                places.extend(program_in_name(leaf, std::slice::from_ref(&leaf.text)));
            }
        }
    }
    for (array, items) in arrays {
        let [first, ..] = items[..] else { continue };
        let words = || items.iter().map(|leaf| leaf.text.clone());
        if let Some(words) = beside.words_of(array) {
            let command = Form::Words(words.into_iter().chain(words_of(&items)).collect());
            places.push(Place { leaf: first, command, certain: true });
            continue;
        }
        if let Some(program) = beside.program_of(array) {
            // A text with operators next to the arguments may be passed to a shell.
            if program.text.contains(['\n', ';', '|', '&']) {
                let text = format!("{} {}", program.text, words().collect::<Vec<_>>().join(" "));
                places.push(Place { leaf: program, command: Form::Text(text), certain: true });
            }
            // The member may contain the program's first arguments too.
            let start = program.text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
            let command = Form::Words(start.into_iter().chain(words()).collect());
            places.push(Place { leaf: program, command, certain: true });
            continue;
        }
        if is_among(first, &TABLE.prose) && !pointed {
            continue;
        }
        let single = !first.text.contains(char::is_whitespace);
        if single {
            places.push(Place {
                leaf: first,
                command: Form::Words(words().collect()),
                certain: certain(first),
            });
        }
        for leaf in items.iter().skip(usize::from(single)) {
            places.push(Place {
                leaf,
                command: Form::Text(leaf.text.clone()),
                certain: certain(leaf)
                    && (!single || is_among(leaf, SEVERAL) && leaf.text.contains(char::is_whitespace)),
            });
        }
        places.extend(program_in_name(first, &words().collect::<Vec<_>>()));
    }
    places
}

/// The members of a call for commands.
#[derive(Debug)]
pub(super) struct Commands<'a> {
    /// The pointers of the objects that have such a member.
    parents: BTreeSet<&'a str>,
    /// The number of commands.
    count: usize,
}

impl<'a> Commands<'a> {
    /// Finds the members for commands. `None` if there are none.
    pub(super) fn of(leaves: &'a [Leaf]) -> Option<Self> {
        let held =
            leaves.iter().filter(|leaf| leaf.kind == LeafKind::Text && is_among(leaf, &TABLE.commands));
        let parents: Vec<&str> = held.map(parent_of).collect();
        let count = parents.len();
        (count > 0).then(|| Self { parents: parents.into_iter().collect(), count })
    }

    /// Returns whether a part is judged as a command, its arguments, its variables or its folder, or is prose. The effect of the other
    /// members is unknown.
    pub(super) fn judge(&self, leaf: &Leaf) -> bool {
        let own = is_among(leaf, &TABLE.commands);
        let alone = self.count == usize::from(own);
        let name = array_of(leaf).unwrap_or(&leaf.pointer).rsplit('/').next().unwrap_or_default();
        let argument = ARGUMENTS.contains(&joined(name).as_str()) && self.parents.contains(parent_of(leaf));
        own && (array_of(leaf).is_some() || !is_among(leaf, SHELLS) || is_shell(&leaf.text) || alone)
            || is_among(leaf, &TABLE.prose)
            || is_among(leaf, NOTES)
            || variable_of(leaf).is_some()
            || argument
            || is_among(leaf, &TABLE.folders) && array_of(leaf).is_none()
            || alone
    }
}

/// Returns the pointer of the object that has the member of a part, which is its value or an item of it.
fn parent_of(leaf: &Leaf) -> &str {
    array_of(leaf).unwrap_or(&leaf.pointer).rsplit_once('/').map_or("", |(parent, _)| parent)
}

/// Returns the folders in which the command may run: the first, and those next to it.
pub(super) fn folders(leaves: &[Leaf]) -> Vec<&str> {
    let named = |leaf: &&Leaf| {
        leaf.kind == LeafKind::Text && is_among(leaf, &TABLE.folders) && array_of(leaf).is_none()
    };
    let Some(first) = leaves.iter().find(named) else { return Vec::new() };
    let beside = leaves.iter().filter(named).filter(|leaf| parent_of(leaf) == parent_of(first));
    beside.map(|folder| folder.text.as_str()).collect()
}

fn words_of(items: &[&Leaf]) -> impl Iterator<Item = String> {
    items.iter().map(|leaf| leaf.text.clone())
}

/// The commands and the members for arguments, by the object that contains them.
#[derive(Debug, Default)]
struct Neighbours<'a> {
    /// The programs.
    programs: BTreeMap<&'a str, &'a Leaf>,
    /// The words of commands in arrays.
    words: BTreeMap<&'a str, Vec<&'a Leaf>>,
    /// The objects that have a member for arguments.
    arguments: BTreeSet<&'a str>,
    /// The number of commands.
    commands: usize,
}

impl<'a> Neighbours<'a> {
    fn of(leaves: &'a [Leaf]) -> Self {
        let mut found = Self::default();
        for leaf in leaves.iter().filter(|leaf| leaf.kind == LeafKind::Text) {
            let parent = parent_of(leaf);
            if is_among(leaf, &TABLE.commands) {
                found.commands += 1;
                match array_of(leaf) {
                    Some(_) => found.words.entry(parent).or_default().push(leaf),
                    None => {
                        found.programs.entry(parent).or_insert(leaf);
                    }
                }
            }
            if is_arguments(array_of(leaf).unwrap_or(&leaf.pointer)) {
                found.arguments.insert(parent);
            }
        }
        found
    }

    /// Returns whether a member for arguments is next to a program.
    fn has_arguments(&self, program: &Leaf) -> bool {
        array_of(program).is_none() && self.arguments.contains(parent_of(program))
    }

    /// Returns the program whose arguments are in the member at a pointer.
    fn program_of(&self, pointer: &str) -> Option<&'a Leaf> {
        let (parent, _) = pointer.rsplit_once('/').filter(|_| is_arguments(pointer))?;
        self.programs.get(parent).copied().filter(|program| program.pointer != pointer)
    }

    /// Returns the words of the command whose arguments are the items of an array: the arrays are next to each other.
    fn words_of(&self, array: &str) -> Option<Vec<String>> {
        let (parent, _) = array.rsplit_once('/').filter(|_| is_arguments(array))?;
        let words = self.words.get(parent)?.iter().filter(|leaf| array_of(leaf) != Some(array));
        let words: Vec<String> = words.map(|leaf| leaf.text.clone()).collect();
        (!words.is_empty()).then_some(words)
    }
}

/// Returns whether the member at a pointer is named after arguments.
fn is_arguments(pointer: &str) -> bool {
    ARGUMENTS.contains(&joined(pointer.rsplit('/').next().unwrap_or_default()).as_str())
}

/// Returns the variable that a member or an item sets.
fn variable_of(leaf: &Leaf) -> Option<Form> {
    if array_of(leaf).is_some() {
        let (name, value) = leaf.text.split_once('=')?;
        return is_among(leaf, VARIABLES).then(|| Form::Variable(name.to_owned(), value.to_owned()));
    }
    let (parent, name) = leaf.pointer.rsplit_once('/')?;
    let parent = parent.rsplit('/').next()?;
    VARIABLES.contains(&joined(parent).as_str()).then(|| Form::Variable(name.to_owned(), leaf.text.clone()))
}

/// Returns whether a text is the name or path of a shell.
fn is_shell(text: &str) -> bool {
    let name = text.rsplit('/').next().unwrap_or_default();
    let folder = text.strip_suffix(name).unwrap_or_default();
    ["", "/bin/", "/usr/bin/", "/usr/local/bin/"].contains(&folder)
        && ["sh", "bash", "zsh", "dash", "fish", "pwsh", "powershell", "cmd", "cmd.exe"].contains(&name)
}

/// Returns whether a text is a word or a sentence, and not a command: it contains no option, path or operator.
fn is_sentence(text: &str) -> bool {
    !text.contains([';', '|', '&', '$', '`', '<', '>', '{', '}', '\\', '\n', '*', '='])
        && !text.split_whitespace().any(|word| word.starts_with(['-', '/', '~', '.']))
}

/// Returns the pointer of the array that contains a string as an item.
fn array_of(leaf: &Leaf) -> Option<&str> {
    let (array, item) = leaf.pointer.rsplit_once('/')?;
    (!item.is_empty() && item.bytes().all(|b| b.is_ascii_digit())).then_some(array)
}

/// Returns whether a string is in a member that is named after commands.
pub(in crate::validator) fn is_command(leaf: &Leaf) -> bool {
    is_among(leaf, &TABLE.commands)
}

fn is_among(leaf: &Leaf, names: &[&str]) -> bool {
    names.contains(&joined(leaf.key()).as_str())
}

/// Returns the place of a program that is the name of a member, with the member's value as its arguments.
fn program_in_name<'a>(leaf: &'a Leaf, values: &[String]) -> Option<Place<'a>> {
    let name = leaf.key().to_ascii_lowercase();
    if !TABLE.programs_in_names.contains(&&*name) || (values.len() == 1 && is_among(leaf, &TABLE.commands)) {
        return None;
    }
    let values = values.iter().flat_map(|value| value.split_whitespace()).map(str::to_owned);
    Some(Place { leaf, command: Form::Words([name].into_iter().chain(values).collect()), certain: true })
}
