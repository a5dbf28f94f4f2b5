//! The text of code before it is parsed: refused if people, parsers and interpreters could read it differently.

/// Returns the reason why a text is ambiguous to its readers, if it is.
pub(super) fn ambiguity(code: &str) -> Option<&'static str> {
    let mut before = '\0';
    let mut rest = code.chars();
    while let Some(c) = rest.next() {
        let joins = matches!(c, '\u{200c}' | '\u{200d}') && !before.is_ascii() && !next_is_ascii(&rest);
        if let Some(what) = ambiguous(c).filter(|_| !joins) {
            return Some(what);
        }
        before = c;
    }
    None
}

/// Returns whether no letter or sign of another script follows. Joiners between two of these belong to emoji, and to words in Persian
/// and Hindi.
fn next_is_ascii(rest: &std::str::Chars<'_>) -> bool {
    rest.clone().next().is_none_or(|next| next.is_ascii() || ambiguous(next).is_some())
}

fn ambiguous(c: char) -> Option<&'static str> {
    match c {
        '\n' | '\r' | '\t' => None,
        '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' => Some("control characters"),
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            Some("characters that change the direction of the text")
        }
        '\u{2028}' | '\u{2029}' => Some("line separators that only some interpreters know"),
        '\u{feff}' | '\u{200b}'..='\u{200f}' | '\u{2060}' => Some("invisible characters"),
        _ => None,
    }
}

/// Returns the text with every end of a line as a line feed, as interpreters read it.
pub(super) fn with_line_feeds(code: &str) -> String {
    code.replace("\r\n", "\n").replace('\r', "\n")
}
