//! The last output of the processes of a failed row.

use super::Folder;
use std::{fmt::Write as _, fs, path::Path};

/// The most of one log that is shown, in bytes.
const SHOWN: usize = 4000;
/// The most logs that are shown.
const MAX_LOGS: usize = 12;

/// Returns the ends of the row's logs and records, the most recent last.
pub(super) fn of_row(folder: &Folder) -> String {
    let entries = fs::read_dir(folder.path()).into_iter().flatten().flatten();
    let mut paths: Vec<_> = entries.map(|entry| entry.path()).filter(|path| is_log(path)).collect();
    paths.sort();
    let mut text = String::new();
    for path in paths.iter().take(MAX_LOGS) {
        let Ok(bytes) = fs::read(path) else { continue };
        let end = last_lines(&String::from_utf8_lossy(&bytes), SHOWN);
        if !end.is_empty() {
            let _ = write!(text, "--- {}\n{end}", path.file_name().unwrap_or_default().to_string_lossy());
        }
    }
    text
}

fn is_log(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "log" || extension == "jsonl")
}

/// Returns the end of a text, with each line cut to a readable length.
fn last_lines(text: &str, limit: usize) -> String {
    let mut lines = Vec::new();
    let mut length = 0;
    for line in text.lines().rev() {
        let cut: String = line.chars().take(LINE).collect();
        length += cut.len() + 1;
        if length > limit {
            break;
        }
        lines.push(cut + "\n");
    }
    lines.reverse();
    lines.concat()
}

/// The most characters of a line that are shown.
const LINE: usize = 600;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_log_is_shown_and_long_lines_are_cut() {
        assert_eq!(last_lines("a\nb\nc", 4), "b\nc\n");
        assert_eq!(last_lines(&"x".repeat(10_000), SHOWN).len(), LINE + 1);
        assert_eq!(last_lines("", 10), "");
    }
}
