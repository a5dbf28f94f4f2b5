//! The findings in code: its imports and uses, before they are judged.

use super::capability::Capability;

/// A place in code. Lines and columns count from 1, columns in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    /// The line.
    pub(super) line: usize,
    /// The column.
    pub(super) column: usize,
}

/// An action of code, by its resolved name.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    /// Imports a module.
    Import(String),
    /// Uses a name of the language, of a module, or a program.
    Use(String),
    /// Uses a name that code does not bind and the policy does not know.
    Global(String),
    /// Uses a member of an unknown value.
    Member(String),
    /// Does something that only its arguments show. The text names it.
    Does(Capability, String),
    /// Does something that cannot be decided. The text describes it.
    Undecided(String),
}

/// An action of code, and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Finding {
    /// The action.
    pub(super) kind: Kind,
    /// The place.
    pub(super) place: Place,
}
