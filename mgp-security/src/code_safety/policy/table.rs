//! The table of a language, and look-ups in it.

use crate::code_safety::capability::Capability;
use std::{
    collections::{HashMap, HashSet},
    sync::LazyLock,
};

/// A function whose arguments show its capability.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::code_safety) enum Special {
    /// Reads, sets or deletes a member of its first argument; the second argument names the member.
    Attribute,
    /// Makes a function that reads the members that its arguments name.
    AttributeReader,
    /// Copies the members of its last argument; further arguments name the members.
    Copy,
    /// Makes a class with the members that its second argument names, by code that it writes.
    Fields,
    /// Imports the module that its first argument names.
    Import,
    /// Returns the names of a scope by text, or is such a scope.
    Scope,
    /// Opens the file of its first argument, in the mode of its second, or with the flag of its options.
    Open,
    /// Writes the file of its first argument.
    WriteFile,
    /// Runs its first argument later: a function, or a text as code.
    Timer,
    /// Returns a number, or is one.
    Number,
    /// Runs the program that its arguments name.
    Wrapper,
    /// Runs the file that its first argument names as code, or else its input.
    Interpreter,
    /// Runs its first argument as code on a signal.
    Trap,
    /// Runs programs for files, or deletes them, depending on its arguments.
    Find,
    /// Runs a program of AWK.
    Awk,
    /// Runs a script of sed.
    Sed,
    /// Writes the file of its second argument.
    Output,
    /// Deletes the files of its arguments.
    Remove,
    /// Makes another folder the working folder.
    ChangeFolder,
    /// Sets the variables that its arguments name.
    Names,
}

/// The written table of a language: capabilities, each with names that are separated by blanks.
pub(super) struct Table {
    /// The names of the language, of modules and of their members. A name includes everything below it that is not listed itself. A name
    /// that ends with `*` includes every name with that prefix.
    pub(super) names: &'static [(Capability, &'static str)],
    /// The members that have their capability on any value.
    pub(super) members: &'static [(Capability, &'static str)],
    /// The members of the runtime, with names that start with `__`, that are harmless.
    pub(super) plain_members: &'static str,
    /// The functions whose arguments show their capability.
    pub(super) specials: &'static [(Special, &'static str)],
    /// The names of the language itself that count even where the code binds the same name to something else.
    pub(super) builtins: &'static str,
    /// The modules that lead beyond their purpose, whatever value they are found in.
    pub(super) modules: &'static str,
    /// The modules that `strict` allows if no list is declared.
    pub(super) allowed: &'static str,
    /// Harmless replacements of blocked names.
    pub(super) replacements: &'static [(&'static str, &'static str)],
}

/// The names of a language, ready for look-ups.
#[derive(Debug)]
pub(in crate::code_safety) struct Policy {
    names: HashMap<&'static str, Capability>,
    /// The same names, sorted.
    sorted: Vec<(&'static str, Capability)>,
    starts: Vec<(&'static str, Capability)>,
    members: HashMap<&'static str, Capability>,
    plain_members: HashSet<&'static str>,
    specials: HashMap<&'static str, Special>,
    builtins: HashSet<&'static str>,
    modules: HashSet<&'static str>,
    /// The modules that `strict` allows if no list is declared.
    pub(in crate::code_safety) allowed: Vec<&'static str>,
    is_allowed: HashSet<&'static str>,
    replacements: HashMap<&'static str, &'static str>,
}

impl Policy {
    /// Prepares a table for a `static`.
    pub(super) const fn of(prepare: fn() -> Self) -> LazyLock<Self> {
        LazyLock::new(prepare)
    }

    /// Prepares a table.
    pub(super) fn new(table: &Table) -> Self {
        let all = || split(table.names);
        let mut sorted: Vec<_> = all().collect();
        sorted.sort_unstable_by_key(|(name, _)| *name);
        let allowed: Vec<_> = table.allowed.split_whitespace().collect();
        Self {
            sorted,
            is_allowed: allowed.iter().copied().collect(),
            allowed,
            names: all().filter(|(name, _)| !name.ends_with('*')).collect(),
            starts: all().filter_map(|(name, to)| Some((name.strip_suffix('*')?, to))).collect(),
            members: split(table.members).collect(),
            plain_members: table.plain_members.split_whitespace().collect(),
            specials: split(table.specials).collect(),
            builtins: table.builtins.split_whitespace().collect(),
            modules: table.modules.split_whitespace().collect(),
            replacements: table.replacements.iter().copied().collect(),
        }
    }

    /// Returns the capability of a name: its own, or that of the nearest name above it.
    pub(in crate::code_safety) fn capability(&self, name: &str) -> Capability {
        prefixes(name).find_map(|prefix| self.own(prefix)).unwrap_or(Capability::Harmless)
    }

    /// Returns the capability that the table gives to exactly this name.
    pub(in crate::code_safety) fn own(&self, name: &str) -> Option<Capability> {
        let start = || self.starts.iter().find(|(start, _)| name.starts_with(start));
        self.names.get(name).copied().or_else(|| start().map(|(_, capability)| *capability))
    }

    /// Returns the gravest capability of the names with a prefix.
    pub(in crate::code_safety) fn beginning_with(&self, start: &str) -> Option<Capability> {
        let from = self.sorted.partition_point(|(name, _)| *name < start);
        let found = self.sorted[from..].iter().take_while(|(name, _)| name.starts_with(start));
        found
            .map(|(_, capability)| *capability)
            .filter(|c| *c != Capability::Harmless)
            .min_by_key(|c| *c as u32)
    }

    /// Returns whether the policy contains names with a prefix.
    pub(in crate::code_safety) fn knows_beginning(&self, start: &str) -> bool {
        let from = self.sorted.partition_point(|(name, _)| *name < start);
        self.sorted.get(from).is_some_and(|(name, _)| name.starts_with(start))
    }

    /// Returns whether `strict` allows a module, or one above it, if no list is declared.
    pub(in crate::code_safety) fn allows(&self, module: &str) -> bool {
        prefixes(module).any(|prefix| self.is_allowed.contains(prefix))
    }

    /// Returns whether `strict` allows exactly this name if no list is declared.
    pub(in crate::code_safety) fn lists(&self, name: &str) -> bool {
        self.is_allowed.contains(name)
    }

    /// Returns the capability of a member of any value.
    pub(in crate::code_safety) fn member(&self, name: &str) -> Option<Capability> {
        self.members.get(name).copied()
    }

    /// Returns whether a member of the runtime is known to be harmless.
    pub(in crate::code_safety) fn is_plain_member(&self, name: &str) -> bool {
        self.plain_members.contains(name)
    }

    /// Returns how the arguments of a function show its capability.
    pub(in crate::code_safety) fn special(&self, name: &str) -> Option<Special> {
        self.specials.get(name).copied()
    }

    /// Returns whether a name is one of the language itself, which counts even where the code binds it.
    pub(in crate::code_safety) fn is_builtin(&self, name: &str) -> bool {
        self.builtins.contains(name)
    }

    /// Returns whether a name is that of a module that leads beyond its purpose.
    pub(in crate::code_safety) fn is_sensitive_module(&self, name: &str) -> bool {
        self.modules.contains(name)
    }

    /// Returns a harmless replacement of a blocked name.
    pub(in crate::code_safety) fn replacement(&self, name: &str) -> Option<&'static str> {
        self.replacements.get(name).copied()
    }
}

fn split<T: Copy>(lines: &'static [(T, &'static str)]) -> impl Iterator<Item = (&'static str, T)> {
    lines.iter().flat_map(|(to, names)| names.split_whitespace().map(|name| (name, *to)))
}

/// Returns a dotted name, and every name above it, from the longest.
pub(in crate::code_safety) fn prefixes(name: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(name), |name| name.rsplit_once('.').map(|(above, _)| above))
}
