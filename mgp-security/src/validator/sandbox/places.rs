//! Finds the commands among the arguments of a call.

use crate::{
    profile::{Leaves, ToolProfile},
    validator::{Leaf, LeafKind},
    words::joined,
};
use std::collections::BTreeMap;

/// Names of members that hold a command.
const COMMANDS: &[&str] = &[
    "command",
    "commands",
    "cmd",
    "cmds",
    "cmdline",
    "commandline",
    "shell",
    "shellcommand",
    "bash",
    "bashcommand",
    "script",
    "scripts",
    "exec",
    "run",
    "execute",
    "program",
    "executable",
    "argv",
    "terminal",
    "powershell",
];

/// Names of members that hold a command if no other member does.
const PERHAPS: &[&str] = &[
    "code",
    "input",
    "line",
    "lines",
    "cell",
    "cells",
    "snippet",
    "expression",
    "source",
    "text",
    "query",
    "payload",
];

/// Names of members that hold the arguments of the program in a member next to them.
const ARGUMENTS: &[&str] = &["args", "arguments", "argv", "params", "parameters"];

/// Names of members that hold prose.
const PROSE: &[&str] = &[
    "description",
    "title",
    "summary",
    "comment",
    "reason",
    "explanation",
    "justification",
    "message",
    "prompt",
    "thought",
    "label",
    "purpose",
    "intent",
];

/// A place in the arguments where a command may stand.
#[derive(Debug)]
pub(super) struct Place<'a> {
    /// The part of the arguments by which the place is named.
    pub(super) leaf: &'a Leaf,
    /// The command.
    pub(super) command: Form,
    /// True if the place is one for commands. Elsewhere, only harm counts.
    pub(super) certain: bool,
}

/// A form of a command.
#[derive(Debug)]
pub(super) enum Form {
    /// A text that a shell reads.
    Text(String),
    /// A program and its arguments, which no shell reads.
    Words(Vec<String>),
}

/// Returns the places where a command may stand.
pub(super) fn places<'a>(leaves: &'a [Leaf], profile: &ToolProfile) -> Vec<Place<'a>> {
    let pointed = profile.leaves != Leaves::All;
    let texts = || leaves.iter().filter(|leaf| leaf.kind == LeafKind::Text);
    let named = texts().any(|leaf| is_among(leaf, COMMANDS));
    let certain = |leaf: &Leaf| {
        let plain = leaf.text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'));
        pointed
            || is_among(leaf, COMMANDS)
            || (!named && (is_among(leaf, PERHAPS) || !plain && !is_among(leaf, PROSE)))
    };
    let taken = |leaf: &Leaf| {
        let arguments = |other: &Leaf| is_program_of(leaf, array_of(other).unwrap_or(&other.pointer));
        is_among(leaf, COMMANDS) && texts().any(arguments)
    };
    let mut places = Vec::new();
    let mut arrays: BTreeMap<&str, Vec<&Leaf>> = BTreeMap::new();
    for leaf in leaves {
        match (leaf.kind, array_of(leaf)) {
            (LeafKind::Number, _) => {}
            (LeafKind::Name, _) if leaf.is_plain_name() => {}
            (LeafKind::Name, _) => {
                places.push(Place { leaf, command: Form::Text(leaf.text.clone()), certain: false });
            }
            (LeafKind::Text, Some(array)) => arrays.entry(array).or_default().push(leaf),
            (LeafKind::Text, None) if is_among(leaf, PROSE) && !pointed => {}
            (LeafKind::Text, None) if taken(leaf) => {}
            (LeafKind::Text, None)
                if let Some(program) = texts().find(|program| is_program_of(program, &leaf.pointer)) =>
            {
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
        if let Some(program) = texts().find(|leaf| is_program_of(leaf, array)) {
            let command = Form::Words([program.text.clone()].into_iter().chain(words()).collect());
            places.push(Place { leaf: program, command, certain: true });
            continue;
        }
        if is_among(first, PROSE) && !pointed {
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
                certain: !single && certain(leaf),
            });
        }
        places.extend(program_in_name(first, &words().collect::<Vec<_>>()));
    }
    places
}

/// Returns the pointer of the array that a string is an item of.
fn array_of(leaf: &Leaf) -> Option<&str> {
    let (array, item) = leaf.pointer.rsplit_once('/')?;
    (!item.is_empty() && item.bytes().all(|b| b.is_ascii_digit())).then_some(array)
}

fn is_among(leaf: &Leaf, names: &[&str]) -> bool {
    names.contains(&joined(leaf.key()).as_str())
}

/// Returns whether a string is the program whose arguments are the items of an array: the array stands next to it.
fn is_program_of(leaf: &Leaf, array: &str) -> bool {
    let (Some((parent, _)), Some((folder, name))) = (leaf.pointer.rsplit_once('/'), array.rsplit_once('/'))
    else {
        return false;
    };
    parent == folder && is_among(leaf, COMMANDS) && ARGUMENTS.contains(&joined(name).as_str())
}

/// Returns the place of a program that is the name of a member, with the member's value as its arguments.
fn program_in_name<'a>(leaf: &'a Leaf, values: &[String]) -> Option<Place<'a>> {
    const PROGRAMS: &[&str] = &[
        "rm", "rmdir", "sh", "bash", "zsh", "python", "python3", "perl", "ruby", "node", "sudo", "dd",
        "mkfs", "nc",
    ];
    let name = leaf.key().to_ascii_lowercase();
    if !PROGRAMS.contains(&&*name) || (values.len() == 1 && is_among(leaf, COMMANDS)) {
        return None;
    }
    let values = values.iter().flat_map(|value| value.split_whitespace()).map(str::to_owned);
    Some(Place { leaf, command: Form::Words([name].into_iter().chain(values).collect()), certain: true })
}
