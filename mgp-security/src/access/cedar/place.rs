//! Places in the text of a policy file.

use super::CedarProblem;

/// The text of a policy file, under the name by which errors call the file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Source<'a> {
    pub(super) name: &'a str,
    pub(super) text: &'a str,
}

impl Source<'_> {
    /// Returns the line and the column of a byte, both from 1. Past the end, those of the end.
    pub(super) fn place(self, offset: usize) -> (usize, usize) {
        let before = self.text.get(..offset).unwrap_or(self.text);
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        (before.matches('\n').count() + 1, before[start..].chars().count() + 1)
    }

    pub(super) fn problem(self, offset: usize, message: impl Into<String>) -> CedarProblem {
        let (line, column) = self.place(offset);
        CedarProblem { file: self.name.to_owned(), line, column, message: message.into() }
    }
}
