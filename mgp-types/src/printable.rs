//! Makes texts of others safe to display: at a terminal, in log files, and in errors that repeat input.

use std::{borrow::Cow, fmt};

/// The longest part of a name that an error repeats, in characters.
const MAX_QUOTED: usize = 128;

/// Returns a text with only visible characters. Line feeds and tabs stay. Other control characters, invisible characters and those that
/// change the text's direction are escaped by number, such as `\u{202e}`. Joiners between emoji and one variation selector after an emoji
/// stay.
///
/// ```
/// use mgp_types::printable::printable;
/// assert_eq!(printable("a\u{1b}[2J\u{202e}b\n"), "a\\u{1b}[2J\\u{202e}b\n");
/// assert_eq!(printable("Grüße, 世界"), "Grüße, 世界");
/// ```
#[must_use]
pub fn printable(text: &str) -> Cow<'_, str> {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\n' | b'\t')) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    let (mut earlier, mut before) = (None, None);
    while let Some(c) = rest.next() {
        let after = rest.peek().copied();
        match c {
            // Part of a line ending.
            '\r' if after == Some('\n') => {}
            c if is_escaped([earlier, before], c, after) => shown.extend(c.escape_unicode()),
            c => shown.push(c),
        }
        (earlier, before) = (before, Some(c));
    }
    Cow::Owned(shown)
}

/// Returns a text as [`printable`] does, on one line: each run of white space is one space. No text can start a new line.
///
/// ```
/// use mgp_types::printable::on_one_line;
/// assert_eq!(on_one_line("the end\r\nerror:\u{2028} forged\t"), "the end error: forged");
/// ```
#[must_use]
pub fn on_one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    printable(&words.join(" ")).into_owned()
}

/// Returns a name as an error repeats it: in quotes, with escapes, and at most 128 characters of it. A name of a megabyte does not lead to an
/// answer or a log line of a megabyte.
///
/// ```
/// use mgp_types::printable::quoted;
/// assert_eq!(quoted("tools/\ncall").to_string(), r#""tools/\ncall""#);
/// let long = quoted(&"x".repeat(1 << 20)).to_string();
/// assert!(long.ends_with("x… (1048576 bytes)\""));
/// ```
#[must_use]
pub fn quoted(name: &str) -> QuotedName<'_> {
    QuotedName(name)
}

/// A name as an error repeats it; see [`quoted`].
#[derive(Debug, Clone, Copy)]
pub struct QuotedName<'a>(&'a str);

impl fmt::Display for QuotedName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(name) = self;
        match name.char_indices().nth(MAX_QUOTED) {
            None => write!(f, "{name:?}"),
            Some((end, _)) => {
                write!(f, "\"{}… ({} bytes)\"", name[..end].escape_debug(), name.len())
            }
        }
    }
}

/// Returns whether a character is invisible, or reorders the text around it. Control characters and line separators do not count.
#[must_use]
pub const fn is_unseen(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}'
    )
}

/// Returns whether a character after two others is escaped by number.
fn is_escaped([earlier, before]: [Option<char>; 2], c: char, after: Option<char>) -> bool {
    match c {
        '\n' | '\t' => false,
        '\u{2028}' | '\u{2029}' => true,
        '\u{fe0e}' | '\u{fe0f}' => !before.is_some_and(is_picture),
        '\u{200d}' => {
            let picture = if before == Some('\u{fe0f}') { earlier } else { before };
            !(picture.is_some_and(is_picture) && after.is_some_and(is_picture))
        }
        c => c.is_control() || is_unseen(c),
    }
}

/// Returns whether a character is an emoji.
const fn is_picture(c: char) -> bool {
    matches!(c, '\u{a9}' | '\u{ae}' | '\u{203c}' | '\u{2049}' | '\u{2122}' | '\u{2139}' | '\u{2190}'..='\u{2bff}'
        | '\u{3030}' | '\u{303d}' | '\u{3297}' | '\u{3299}' | '\u{1f000}'..='\u{1faff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_character_controls_a_terminal_or_hides() {
        for (hidden, shown) in [
            ("\u{1b}]0;title\u{7}", r"\u{1b}]0;title\u{7}"),
            ("\u{9b}2J\r", r"\u{9b}2J\u{d}"),
            ("pay\u{202e}lap\u{2066}", r"pay\u{202e}lap\u{2066}"),
            ("ad\u{200b}min\u{feff}\u{2060}\u{ad}", r"ad\u{200b}min\u{feff}\u{2060}\u{ad}"),
            ("a\u{2028}b\u{2029}\u{85}", r"a\u{2028}b\u{2029}\u{85}"),
            ("ok\u{e0041}\u{fe0f}\u{3164}", r"ok\u{e0041}\u{fe0f}\u{3164}"),
            ("a\u{200d}b", r"a\u{200d}b"),
            ("⚠\u{fe0f}\u{fe0f}", "⚠\u{fe0f}\\u{fe0f}"),
            ("⚠\u{fe0f}\u{200d}\u{fe0f}\u{200d}", "⚠\u{fe0f}\\u{200d}\\u{fe0f}\\u{200d}"),
            ("a\u{fe0f}\u{200d}⚠", "a\\u{fe0f}\\u{200d}⚠"),
        ] {
            assert_eq!(printable(hidden), shown);
            assert_eq!(on_one_line(hidden).lines().count(), 1, "{shown}");
        }
        assert_eq!(printable("one\r\ntwo\n\tthree"), "one\ntwo\n\tthree");
    }

    #[test]
    fn ordinary_text_stays_unchanged() {
        for text in [
            "naïve — “quoted”",
            "日本語のツール",
            "שלום",
            "⚠\u{fe0f} 👩\u{200d}💻 ❤\u{fe0f}\u{200d}🔥",
            "e\u{301}",
        ] {
            assert_eq!(printable(text), text);
        }
    }

    #[test]
    fn an_error_repeats_a_bounded_part_of_a_name() {
        assert_eq!(quoted(&"é".repeat(MAX_QUOTED)).to_string(), format!("{:?}", "é".repeat(MAX_QUOTED)));
        let long = quoted(&"\u{1b}".repeat(3 << 20)).to_string();
        assert!(
            long.len() < 8 * MAX_QUOTED && long.contains(r"\u{1b}") && long.contains("3145728"),
            "{long}"
        );
    }
}
