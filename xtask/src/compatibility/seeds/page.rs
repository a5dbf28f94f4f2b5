//! The rows of the page of the four documents.

use crate::compatibility::markdown::{TableRow, between, first_word};

/// The page's path.
pub(in crate::compatibility) const PATH: &str = "docs/compatibility/seeds.md";
/// The number of cells in a row: the document, the section, the capability, the parts that have it, and the evidence.
pub(super) const CELLS: usize = 5;

/// A capability of one of the documents.
#[derive(Debug)]
pub(super) struct Row<'a> {
    /// The document's short name.
    pub(super) document: &'a str,
    /// The section, as the table of sections names it.
    pub(super) section: &'a str,
    pub(super) capability: &'a str,
    /// The parts that have the capability; empty for a dash.
    pub(super) parts: Vec<&'a str>,
    /// The first word of the evidence.
    pub(super) word: &'a str,
    /// The names of the links of the evidence.
    pub(super) links: Vec<&'a str>,
    /// The text after the colon: the reason why the capability is missing or incomplete; empty without a colon.
    pub(super) reason: &'a str,
}

impl<'a> Row<'a> {
    /// Reads a row. Returns `None` if it does not have this number of cells.
    pub(super) fn read(row: &TableRow<'a>) -> Option<Self> {
        let [document, section, capability, by, shown] = row.cells[..] else { return None };
        Some(Self {
            document,
            section,
            capability,
            parts: if by == "–" { Vec::new() } else { by.split(',').map(str::trim).collect() },
            word: first_word(shown),
            links: between(shown, '[', ']'),
            reason: shown.split_once(": ").map_or("", |(_, reason)| reason.trim()),
        })
    }
}
