//! Texts that are hidden from people, but read by models.

use super::{
    Finding, FindingKind,
    pattern::{Pattern, compile},
};
use mgp_types::printable::is_unseen;
use std::sync::LazyLock;
use unicode_script::{Script, UnicodeScript};

/// The number of consecutive blanks that move the following text out of sight.
const MANY_BLANKS: usize = 200;

/// The number of consecutive line breaks that do so.
const MANY_LINES: usize = 20;

/// Comments and styles that hide a text in Markdown or HTML.
const COMMENT: &str = concat!(
    r"(?s)<!--.{12,}?-->",
    r"|(?m:^\[//\]: # ?[(\x22'].{12,}$)",
    r"|<(?:span|div|p)[^>]{0,200}(?:display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0)"
);

/// Texts that have to be decoded before they can be read.
const ENCODED: &str = concat!(
    r"[A-Za-z0-9+/]{160,}={0,2}",
    r"|(?:\\x[0-9a-f]{2}){24,}",
    r"|(?:[0-9a-f]{2} ){32,}",
    r"|\b[01]{8}(?: [01]{8}){15,}"
);

static PATTERNS: LazyLock<Vec<(&str, Pattern)>> = LazyLock::new(|| {
    let patterns = [("a comment that is not shown", COMMENT), ("encoded text", ENCODED)];
    patterns.into_iter().filter_map(|(reason, pattern)| Some((reason, compile(pattern).ok()?))).collect()
});

/// Returns the hidden texts in a text, at most one of each kind.
pub(super) fn find(path: &str, text: &str) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    let mut add = |reason: &str, found: &str| {
        if !findings.iter().any(|finding| finding.reason == reason) {
            findings.push(Finding::new(FindingKind::HiddenText, path, reason, found));
        }
    };
    if !text.is_ascii() || text.contains(|c: char| c.is_control()) {
        characters(text, &mut add);
    }
    for (reason, pattern) in PATTERNS.iter() {
        if let Some(found) = pattern.find(text.as_bytes()) {
            add(reason, &String::from_utf8_lossy(found.as_bytes()));
        }
    }
    if let Some(found) = after_blanks(text) {
        add("text behind many blanks or line breaks", found);
    }
    if !text.is_ascii()
        && let Some(word) = words(text).find(|word| mixes_scripts(word))
    {
        add("letters of several alphabets that look alike in one word", word);
    }
    findings
}

/// Finds characters that are not visible.
fn characters(text: &str, add: &mut impl FnMut(&str, &str)) {
    let is_right_to_left = text.chars().any(|c| {
        matches!(c.script(), Script::Arabic | Script::Hebrew | Script::Syriac | Script::Thaana | Script::Nko)
    });
    let mut flag = Flag::None;
    let mut before: Option<char> = None;
    for (at, c) in text.char_indices() {
        flag = flag.next(c);
        let next = text[at + c.len_utf8()..].chars().next();
        let reason = match c {
            '\t' | '\n' | '\r' => None,
            '\u{1b}' | '\u{9b}' => Some("an escape sequence of terminals"),
            c if c.is_control() => Some("a control character"),
            '\u{200c}' | '\u{200d}' if joins(before, next) => None,
            '\u{200e}' | '\u{200f}' | '\u{61c}' if is_right_to_left => None,
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' | '\u{61c}' => {
                Some("characters that change the order of the text")
            }
            '\u{e0000}'..='\u{e007f}' if matches!(flag, Flag::Tags(_)) => None,
            '\u{e0000}'..='\u{e007f}' => Some("tag characters, which can spell text that nobody sees"),
            '\u{fe00}'..='\u{fe0f}' if varies(before) => None,
            '\u{e0100}'..='\u{e01ef}' if before.is_some_and(|c| c.script() == Script::Han) => None,
            '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' => {
                Some("variation selectors, which can spell text that nobody sees")
            }
            // A byte order mark at the beginning is an accident of an editor.
            '\u{feff}' if at == 0 => None,
            c if is_unseen(c) => Some("characters that are not seen"),
            _ => None,
        };
        if let Some(reason) = reason {
            add(reason, around(text, at));
        }
        before = Some(c);
    }
}

/// Returns the text around a place.
fn around(text: &str, at: usize) -> &str {
    let start = text[..at].char_indices().rev().nth(19).map_or(0, |(at, _)| at);
    &text[start..]
}

/// The progress in the flag of a region, the only use of tag characters in plain text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Flag {
    None,
    Base,
    /// The number of tags.
    Tags(u8),
}

/// The most tags in a flag: a country and a region of it.
const MAX_TAGS: u8 = 6;

impl Flag {
    const fn next(self, c: char) -> Self {
        match (self, c) {
            (_, '\u{1f3f4}') => Self::Base,
            // Only letters and digits name a region.
            (Self::Base, '\u{e0061}'..='\u{e007a}') => Self::Tags(1),
            (Self::Tags(count), '\u{e0030}'..='\u{e0039}' | '\u{e0061}'..='\u{e007a}')
                if count < MAX_TAGS =>
            {
                Self::Tags(count + 1)
            }
            (Self::Tags(_), '\u{e007f}') => self,
            _ => Self::None,
        }
    }
}

/// Returns whether a joiner is between characters that need one: pictures, or letters of a script that joins them.
fn joins(before: Option<char>, after: Option<char>) -> bool {
    let (Some(before), Some(after)) = (before, after) else { return false };
    let is_picture =
        |c: char| matches!(c, '\u{2190}'..='\u{2bff}' | '\u{fe0f}' | '\u{1f000}'..='\u{1faff}' | '\u{e007f}');
    let joined = |c: char| {
        !matches!(
            c.script(),
            Script::Latin | Script::Greek | Script::Cyrillic | Script::Common | Script::Inherited
        ) || (c.script() == Script::Inherited && !is_unseen(c) && !matches!(c, '\u{200c}' | '\u{200d}'))
    };
    (is_picture(before) && is_picture(after)) || (joined(before) && joined(after))
}

/// Returns whether a variation of a character exists: of pictures, symbols, digits and ideographs.
fn varies(before: Option<char>) -> bool {
    before.is_some_and(|c| {
        matches!(c, '0'..='9' | '#' | '*' | '\u{a9}' | '\u{ae}' | '\u{203c}' | '\u{2049}' | '\u{2122}' | '\u{2139}')
            || matches!(c, '\u{2190}'..='\u{2bff}' | '\u{3030}' | '\u{303d}' | '\u{3297}' | '\u{3299}' | '\u{1f000}'..='\u{1faff}')
            || matches!(c.script(), Script::Han | Script::Mongolian | Script::Myanmar | Script::Phags_Pa | Script::Manichaean)
    })
}

/// Returns the text after many blanks or line breaks.
fn after_blanks(text: &str) -> Option<&str> {
    let (mut blanks, mut lines) = (0, 0);
    for (at, c) in text.char_indices() {
        if c == '\n' {
            lines += 1;
        } else if c.is_whitespace() {
            blanks += 1;
        } else if blanks >= MANY_BLANKS || lines >= MANY_LINES {
            return Some(&text[at..]);
        } else {
            (blanks, lines) = (0, 0);
        }
    }
    None
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_ascii())
}

/// Returns whether a word mixes Latin letters with those of an alphabet that has look-alikes.
fn mixes_scripts(word: &str) -> bool {
    let has = |script: Script| word.chars().filter(|c| c.script() == script).count();
    let latin = has(Script::Latin);
    latin >= 2 && (has(Script::Cyrillic) > 0 || (has(Script::Greek) > 0 && latin >= 3))
}
