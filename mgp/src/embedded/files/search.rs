//! Searches for the lines that contain a text.

use super::{error::FileError, folder::Folder};

/// The maximum number of matching lines.
pub(super) const MAX_FOUND: usize = 100;
/// The longest part of a line that is shown, in characters.
const MAX_SHOWN: usize = 200;
/// The longest text that is searched for, in bytes.
const MAX_TEXT: usize = 256;

/// A line that contains the text.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
pub(super) struct MatchingLine {
    /// The file.
    pub(super) path: String,
    /// The line's number, from 1.
    pub(super) line: usize,
    /// The start of the line.
    pub(super) text: String,
}

/// Returns the first hundred lines in all files that contain a text, ignoring case.
pub(super) fn search(folder: &Folder, text: &str) -> Result<Vec<MatchingLine>, FileError> {
    if text.is_empty() || text.len() > MAX_TEXT {
        return Err(FileError::SearchText { found: text.len(), limit: MAX_TEXT });
    }
    let wanted = text.to_lowercase();
    let mut found = Vec::new();
    for path in folder.files() {
        // A file that is too large or is not text is skipped.
        let Ok(content) = folder.read(&path) else { continue };
        let lines = content.lines().enumerate().filter(|(_, line)| line.to_lowercase().contains(&wanted));
        found.extend(lines.take(MAX_FOUND - found.len()).map(|(index, line)| MatchingLine {
            path: path.clone(),
            line: index + 1,
            text: line.chars().take(MAX_SHOWN).collect(),
        }));
        if found.len() == MAX_FOUND {
            break;
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_found_in_any_case_up_to_a_hundred() {
        let scratch = tempfile::tempdir().unwrap();
        let folder = Folder::open(scratch.path()).unwrap();
        folder.write("a.txt", "one\nThe Budget\n").unwrap();
        folder.write("b/c.txt", &"budget x\n".repeat(200)).unwrap();
        let found = search(&folder, "BUDGET").unwrap();
        let first = MatchingLine { path: "a.txt".into(), line: 2, text: "The Budget".into() };
        assert_eq!((found.len(), &found[0]), (MAX_FOUND, &first));
        assert!(search(&folder, "nowhere").unwrap().is_empty());
        assert!(search(&folder, "").is_err() && search(&folder, &"x".repeat(257)).is_err());
    }
}
