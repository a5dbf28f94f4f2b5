//! The findings in code: what it imports and uses, before anything is judged.

use super::capability::Capability;

/// A place in code. Line and column count from 1, the column in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    /// The line.
    pub(super) line: usize,
    /// The column.
    pub(super) column: usize,
}

/// A thing that code does, by its resolved name.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    /// Imports a module.
    Import(String),
    /// Uses a name of the language, of a module, or a program.
    Use(String),
    /// Uses a name that code does not bind and the policy does not know.
    Global(String),
    /// Uses a member of a value that is not known.
    Member(String),
    /// Does something that only its arguments show. The text names it.
    Does(Capability, String),
    /// Does something that cannot be decided. The text says so.
    Undecided(String),
}

/// A thing that code does, and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Finding {
    /// The thing.
    pub(super) kind: Kind,
    /// The place.
    pub(super) place: Place,
}
