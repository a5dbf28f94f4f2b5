//! The rows of the page of MGP.

use crate::compatibility::markdown::{TableRow, between, first_word};

/// The page's path.
pub(in crate::compatibility) const PATH: &str = "docs/compatibility/mgp-compatibility.md";
/// The number of cells in a row: the section, the rule, the parts that keep it, and the evidence.
pub(super) const CELLS: usize = 4;

/// A rule of the specification.
#[derive(Debug)]
pub(super) struct Row<'a> {
    /// The section, such as `11.3`.
    pub(super) section: &'a str,
    pub(super) rule: &'a str,
    /// The parts that keep the rule.
    pub(super) parts: Vec<&'a str>,
    /// The first word of the evidence.
    pub(super) word: &'a str,
    /// The names of the links of the evidence.
    pub(super) links: Vec<&'a str>,
    /// The text after the colon: the reason why the rule is shown partly or not at all; empty without a colon.
    pub(super) reason: &'a str,
}

impl<'a> Row<'a> {
    /// Reads a row. Returns `None` if it does not have this number of cells.
    pub(super) fn read(row: &TableRow<'a>) -> Option<Self> {
        let [section, rule, by, shown] = row.cells[..] else { return None };
        Some(Self {
            section,
            rule,
            parts: by.split(',').map(str::trim).collect(),
            word: first_word(shown),
            links: between(shown, '[', ']'),
            reason: shown.split_once(": ").map_or("", |(_, reason)| reason.trim()),
        })
    }

    /// Returns the texts in backticks of the rule.
    pub(super) fn code(&self) -> Vec<&'a str> {
        between(self.rule, '`', '`')
    }
}
