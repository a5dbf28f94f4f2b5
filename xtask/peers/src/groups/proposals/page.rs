//! The table of the proposals' messages in our documentation.

use crate::workspace;
use std::{collections::BTreeMap, fs};

/// The page with the table.
const PAGE: &str = "docs/proposals.md";

/// The first words of the cells of messages.
const WORDS: [&str; 4] = ["sent", "read", "part", "never"];

/// The messages by their definitions (`topic` or `topic/Definition`), each with the words about it.
pub(super) type Page = BTreeMap<String, Vec<&'static str>>;

/// Reads the table.
pub(super) fn read() -> Result<Page, String> {
    let path = workspace::root().join(PAGE);
    let text =
        fs::read_to_string(&path).map_err(|error| format!("failed to read {}: {error}", path.display()))?;
    of(&text).map_err(|error| format!("{PAGE}: {error}"))
}

fn of(text: &str) -> Result<Page, String> {
    let mut page = Page::new();
    let (_, rows) = text.split_once("| schema | message | here |\n|---|---|---|\n").ok_or("no table")?;
    for row in rows.lines().take_while(|line| line.starts_with('|')) {
        let cells: Vec<_> = row.trim_matches('|').splitn(3, '|').map(str::trim).collect();
        let [topic, message, here] = cells[..] else { return Err(format!("not a row: {row}")) };
        let name = if message == "–" { topic.to_owned() } else { format!("{topic}/{message}") };
        let (words, reason) = here.split_once(':').unwrap_or((here, ""));
        let words: Option<Vec<_>> =
            words.split(',').map(|word| WORDS.iter().copied().find(|known| *known == word.trim())).collect();
        let words = words.ok_or_else(|| format!("{name}: expected one of {WORDS:?}: {here}"))?;
        if reason.trim().is_empty() {
            return Err(format!("{name}: nothing is written about it"));
        }
        if page.insert(name.clone(), words).is_some() {
            return Err(format!("{name} has two rows"));
        }
    }
    Ok(page)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_describes_one_message() {
        let head = "text\n\n| schema | message | here |\n|---|---|---|\n";
        let page =
            of(&format!("{head}| error | – | sent, read: of a step |\n| a | B | never: because |\n\nmore"))
                .unwrap();
        assert_eq!(page["error"], ["sent", "read"]);
        assert_eq!(page["a/B"], ["never"]);
        for wrong in ["| a | B | maybe: x |", "| a | B | sent |", "| a | B |"] {
            assert!(of(&format!("{head}{wrong}\n")).is_err(), "{wrong}");
        }
        assert!(of(&format!("{head}| a | B | sent: x |\n| a | B | read: x |\n")).is_err());
    }
}
