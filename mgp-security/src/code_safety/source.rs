//! The text of code before it is parsed: refused if people, parsers and interpreters could read it in different ways.

/// Returns why a text is not read in one way by all, if it is not.
pub(super) fn ambiguity(code: &str) -> Option<&'static str> {
    code.chars().find_map(|c| match c {
        '\n' | '\r' | '\t' => None,
        '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' => Some("control characters"),
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            Some("characters that change the direction of the text")
        }
        '\u{2028}' | '\u{2029}' => Some("line separators that only some interpreters know"),
        '\u{feff}' | '\u{200b}'..='\u{200f}' | '\u{2060}' => Some("invisible characters"),
        _ => None,
    })
}

/// Returns the text with every end of a line as a line feed, as interpreters read it.
pub(super) fn with_line_feeds(code: &str) -> String {
    code.replace("\r\n", "\n").replace('\r', "\n")
}
