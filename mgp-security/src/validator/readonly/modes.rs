//! Modes, flags and rights for opening a file: only those that read pass.

use super::finding::Finding;
use crate::{
    validator::{
        Leaf, LeafKind,
        table::{self, Words},
    },
    words::words,
};
use serde::Deserialize;
use std::sync::LazyLock;

/// The words of `modes.toml`.
static TABLE: LazyLock<Table> = LazyLock::new(|| table::parse(include_str!("modes.toml")));

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    keys: Words,
    writes: Words,
    reads: Words,
    writing_modes: Words,
}

/// Returns whether a member names a file.
pub(super) fn is_file(leaf: &Leaf) -> bool {
    words(leaf.key()).iter().any(|word| {
        ["path", "file", "filename", "filepath", "filepaths", "archive", "document", "fd"]
            .contains(&word.as_str())
    })
}

/// Judges a string or a number that may be a mode. `file` is true if the arguments name a file.
pub(super) fn judge(leaf: &Leaf, file: bool) -> Option<Finding> {
    const HARM: Finding = Finding::Harm("a file mode that writes");
    const DOUBT: Finding = Finding::Doubt("a possible file mode that writes");
    let key = words(leaf.key());
    let named = key.iter().any(|word| TABLE.keys.contains(&word.as_str()))
        || leaf.pointer.to_ascii_lowercase().contains("/mode/");
    if !named
        || key.iter().any(|word| {
            ["search", "payment", "color", "theme", "sort", "output", "display", "view"]
                .contains(&word.as_str())
        })
    {
        return None;
    }
    if leaf.kind == LeafKind::Number {
        return (file && leaf.text != "0").then_some(DOUBT);
    }
    let lower = leaf.text.trim_matches(|c: char| c.is_whitespace() || c == '\0').to_ascii_lowercase();
    let mode = key.last().is_some_and(|word| ["mode", "openmode"].contains(&word.as_str()));
    if mode && is_plain_writing(&lower) {
        // If no member names a file, a word may mean something else.
        return Some(if file || lower.len() <= 3 { HARM } else { DOUBT });
    }
    const LONGEST: usize = 200;
    if lower.len() > LONGEST || lower.is_empty() || lower.starts_with("--") && !file {
        return None;
    }
    let parts = words(&leaf.text.replace('\0', " "));
    let lowers = lower.split(|c: char| !c.is_ascii_alphanumeric()).filter(|part| !part.is_empty());
    let mut every = parts.iter().map(String::as_str).chain(lowers);
    if every.clone().any(|part| {
        TABLE.writes.contains(&part)
            && (file || part.len() > 3 && part != "update" && part != "create" || leaf.text == "READ WRITE")
    }) {
        return Some(DOUBT);
    }
    let strict = file
        && key.iter().any(|word| {
            ["mode", "flag", "flags", "openmode", "access", "disposition"].contains(&word.as_str())
        });
    if strict && (!every.all(|part| TABLE.reads.contains(&part)) || lower.contains('+')) {
        return Some(DOUBT);
    }
    None
}

/// Returns whether a text is a file mode that writes, in the notation of `fopen` and Python, or a word for one.
fn is_plain_writing(text: &str) -> bool {
    let mut letters = text.chars();
    let first = letters.next();
    let flags = letters.as_str();
    TABLE.writing_modes.contains(&text)
        || (flags.chars().all(|flag| matches!(flag, 'b' | 't' | 'u' | '+'))
            && (matches!(first, Some('w' | 'a' | 'x')) || (first == Some('r') && flags.contains('+'))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_reading_modes_pass_next_to_a_file() {
        for (mode, finds) in [
            ("r", false),
            ("rb", false),
            ("r:gz", false),
            ("O_RDONLY", false),
            ("read-only", false),
            ("w:gz", true),
            ("r+", true),
            ("O_RDWR|O_CREAT", true),
            ("rws", true),
            ("c", true),
            ("OpenOrCreate", true),
        ] {
            assert_eq!(judge(&Leaf::new("/mode", mode), true).is_some(), finds, "{mode}");
        }
        assert!(judge(&Leaf::new("/mode", "dark"), false).is_none());
        assert!(judge(&Leaf::new("/search_mode", "append"), true).is_none());
    }
}
