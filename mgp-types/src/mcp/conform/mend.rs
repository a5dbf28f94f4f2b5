//! The outcome of a check by MCP's schema.

use crate::json::RawJson;
use std::fmt;

/// A definition or an answer, compared with MCP's schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Conformity {
    /// The value is valid unchanged.
    Valid,
    /// The value is valid after these changes.
    Mended(RawJson, Mends),
    /// The value lacks a required member, or has it in an unreadable form.
    Invalid(Mend),
}

/// Records a change.
pub(super) fn note(mends: &mut Vec<Mend>, mend: Mend) {
    if mends.len() < MOST_NOTED {
        mends.push(mend);
    }
}

/// Records that the unpaired surrogates of a value were replaced.
pub(super) fn note_surrogates(mends: &mut Vec<Mend>) {
    note(
        mends,
        Mend {
            pointer: String::new(),
            found: "a value with unpaired surrogates",
            expected: "strings of Unicode",
            remedy: Remedy::Replaced,
        },
    );
}

/// The most changes of one definition or answer that are noted. Later ones are made without a note.
const MOST_NOTED: usize = 100;

/// The parts of a definition or an answer that were changed, in order. Displayed on one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mends(pub Vec<Mend>);

impl fmt::Display for Mends {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, mend) in self.0.iter().enumerate() {
            f.write_str(if at == 0 { "" } else { "; " })?;
            mend.fmt(f)?;
        }
        Ok(())
    }
}

/// A part of a definition or an answer that breaks MCP's schema.
///
/// Its display states the place, what was found, what was expected, and the remedy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mend {
    /// The place of the part: a JSON pointer (RFC 6901).
    pub pointer: String,
    /// The kind of value that was found, or `nothing`.
    pub found: &'static str,
    /// The expected value.
    pub expected: &'static str,
    /// The remedy for the part.
    pub remedy: Remedy,
}

/// A remedy for a part that breaks MCP's schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Remedy {
    /// The part was left out.
    LeftOut,
    /// The part was replaced by a valid one with the same meaning.
    Replaced,
    /// The values at the end were left out.
    Shortened,
    /// The whole definition is left out, or the whole answer is refused.
    Withheld,
}

impl fmt::Display for Mend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { pointer, found, expected, remedy } = self;
        let remedy = match remedy {
            Remedy::LeftOut => "left out",
            Remedy::Replaced => "replaced",
            Remedy::Shortened => "shortened",
            Remedy::Withheld => "withheld as a whole",
        };
        write!(f, "{pointer:?} is {found}, expected {expected}: {remedy}")
    }
}
