//! Names as label values.

use std::sync::Arc;

/// The maximum length of a label value, in characters.
const MAX_LABEL: usize = 128;

/// A label value. Clones are cheap.
pub(super) type Label = Arc<str>;

/// Converts a name to a label value: bounded, and without control characters, because readers split lines differently. The
/// encoder escapes quotes and backslashes.
pub(super) fn label(name: &str) -> Label {
    let is_whole = name.char_indices().nth(MAX_LABEL).is_none();
    if is_whole && !name.contains(breaks_lines) {
        return name.into();
    }
    let kept = if is_whole { MAX_LABEL } else { MAX_LABEL - 1 };
    let mut text: String =
        name.chars().take(kept).map(|c| if breaks_lines(c) { '\u{fffd}' } else { c }).collect();
    if !is_whole {
        text.push('…');
    }
    text.into()
}

/// Returns whether some readers treat the character as the end of a line, or as a command.
fn breaks_lines(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_bounded_and_has_no_line_breaks() {
        assert_eq!(&*label("read_file"), "read_file");
        assert_eq!(&*label("a\nb\r\u{85}\u{2028}c\u{1b}"), "a\u{fffd}b\u{fffd}\u{fffd}\u{fffd}c\u{fffd}");
        assert_eq!(label(&"é".repeat(128)).chars().count(), 128);
        let long = label(&"é".repeat(129));
        assert!(long.ends_with("é…") && long.chars().count() == 128, "{long}");
    }
}
