//! The difference of two texts.

use similar::{ChangeTag, TextDiff};
use std::time::Duration;

/// The equal lines that are shown around a change.
const CONTEXT: usize = 3;

/// The time after which a difference need not be the shortest one.
const TIME: Duration = Duration::from_millis(500);

/// Returns the lines of a unified difference: each with `+`, `-` or a space in front, and a line with `@@` before each group of them. Empty if
/// the texts are equal.
pub(super) fn difference(before: &str, after: &str) -> Vec<String> {
    let difference = TextDiff::configure().timeout(TIME).diff_lines(before, after);
    let mut unified = difference.unified_diff();
    let mut lines = Vec::new();
    for hunk in unified.context_radius(CONTEXT).iter_hunks() {
        lines.push(hunk.header().to_string());
        for change in hunk.iter_changes() {
            let mark = match change.tag() {
                ChangeTag::Equal => ' ',
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
            };
            // A line that differs only in its end is shown with it.
            let line = change.value().strip_suffix('\n').unwrap_or(change.value());
            lines.push(format!("{mark}{}", line.replace('\r', "\\r")));
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_lines_are_shown_with_those_around_them() {
        let before = "a\nb\nc\nd\ne\nf\n";
        assert_eq!(
            difference(before, "a\nb\nc\nd\nE\nf\n"),
            ["@@ -2,5 +2,5 @@", " b", " c", " d", "-e", "+E", " f"]
        );
        assert_eq!(difference("", "a\n"), ["@@ -0,0 +1 @@", "+a"]);
        assert_eq!(difference("a\r\n", "a\n"), ["@@ -1 +1 @@", "-a\\r", "+a"]);
        assert!(difference(before, before).is_empty());
    }
}
