//! The page's tables and links.

use std::collections::BTreeMap;

/// The page's path.
pub(super) const PATH: &str = "docs/mcp-compatibility.md";
/// The number of cells in a row: the subject, the eras, and one for each side.
const CELLS: usize = 5;

/// A row of a table.
#[derive(Debug)]
pub(super) struct Row<'a> {
    pub(super) line: usize,
    /// The texts in backticks in the row's first cell: methods.
    pub(super) methods: Vec<&'a str>,
    /// The first word of the row's second cell.
    pub(super) era: &'a str,
    /// Server, client, kernel.
    pub(super) sides: Vec<Side<'a>>,
}

impl Row<'_> {
    /// The side of the suite's scenarios for each of [`Row::sides`]: toward hosts, the kernel is a server.
    pub(super) const TESTED_AS: [&'static str; 3] = ["server", "client", "server"];

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

/// Returns the rows of every table.
pub(super) fn rows(text: &str) -> Vec<Row<'_>> {
    let mut rows = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let Some(inner) = line.strip_prefix('|').and_then(|line| line.strip_suffix('|')) else { continue };
        let cells: Vec<_> = inner.split('|').map(str::trim).collect();
        let heads = ["method", "feature", "---"];
        if cells.len() != CELLS || heads.contains(&cells[0]) {
            continue;
        }
        let sides = cells[2..].iter().map(|cell| side(cell)).collect();
        let era = first_word(cells[1]);
        rows.push(Row { line: index + 1, methods: between(cells[0], '`', '`'), era, sides });
    }
    rows
}

fn side(cell: &str) -> Side<'_> {
    let word = first_word(cell);
    let code = between(cell, '`', '`').into_iter().filter(|code| !code.contains("::"));
    Side { word, scenarios: code.collect(), links: between(cell, '[', ']') }
}

fn first_word(cell: &str) -> &str {
    cell.split([' ', ',', ':', ';']).next().unwrap_or_default()
}

/// Returns the texts between two marks.
fn between(text: &str, open: char, close: char) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((_, after)) = rest.split_once(open) {
        let Some((inner, left)) = after.split_once(close) else { break };
        found.push(inner);
        rest = left;
    }
    found
}

/// Returns the target of each link, by the link's name.
pub(super) fn targets(text: &str) -> BTreeMap<&str, &str> {
    text.lines().filter_map(|line| line.strip_prefix('[')?.split_once("]: ")).collect()
}
