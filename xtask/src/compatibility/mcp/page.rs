//! The rows of the page of MCP.

use crate::compatibility::markdown::{TableRow, between, first_word};

/// The page's path.
pub(in crate::compatibility) const PATH: &str = "docs/compatibility/mcp-compatibility.md";
/// The number of cells in a row: the subject, the eras, and one for each side.
pub(super) const CELLS: usize = 5;

/// A row of a table.
#[derive(Debug)]
pub(super) struct Row<'a> {
    /// The texts in backticks in the row's first cell: methods.
    pub(super) methods: Vec<&'a str>,
    /// The first word of the row's second cell.
    pub(super) era: &'a str,
    /// Server, client, kernel.
    pub(super) sides: Vec<Side<'a>>,
}

impl<'a> Row<'a> {
    /// The side of the suite's scenarios for each of [`Row::sides`]: toward hosts, the kernel is a server.
    pub(super) const TESTED_AS: [&'static str; 3] = ["server", "client", "server"];

    /// Reads a row. Returns `None` if it does not have this number of cells.
    pub(super) fn read(row: &TableRow<'a>) -> Option<Self> {
        let [subject, eras, sides @ ..] = &row.cells[..] else { return None };
        (row.cells.len() == CELLS).then(|| Self {
            methods: between(subject, '`', '`'),
            era: first_word(eras),
            sides: sides.iter().map(|cell| Side::read(cell)).collect(),
        })
    }

    /// Returns the revisions of the row's era that the suite has scenarios for, or `None` if the row names no era.
    pub(super) fn revisions(&self) -> Option<&'static [&'static str]> {
        Some(match self.era {
            "both" => &["2025-11-25", "2026-07-28"],
            "stateless" => &["2026-07-28"],
            "initialize" | "2025-11-25" => &["2025-11-25"],
            "2025-03-26" => &[],
            _ => return None,
        })
    }
}

/// The cell of a row for one side.
#[derive(Debug)]
pub(super) struct Side<'a> {
    /// The first word.
    pub(super) word: &'a str,
    /// The texts in backticks: scenarios.
    pub(super) scenarios: Vec<&'a str>,
    /// The names of the cell's links.
    pub(super) links: Vec<&'a str>,
}

impl<'a> Side<'a> {
    fn read(cell: &'a str) -> Self {
        let code = between(cell, '`', '`').into_iter().filter(|code| !code.contains("::"));
        Self { word: first_word(cell), scenarios: code.collect(), links: between(cell, '[', ']') }
    }
}
