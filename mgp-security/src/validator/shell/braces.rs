//! Brace expansion: `a{b,c}`.

use super::{
    script::Unread,
    word::{OPAQUE, Word},
};
use crate::meter;

/// The marks of unquoted braces and commas in a word's text. Control characters in a script are refused, so they cannot be confused with
/// these.
const OPEN: char = '\u{1}';
const CLOSE: char = '\u{2}';
const COMMA: char = '\u{3}';

/// The most digits of a bound of a range.
const MAX_DIGITS: usize = 5;

/// The most ranges in the expansion of one word.
const MAX_RANGES: usize = 8;

/// The most words in the expansion of one word.
const MAX_WORDS: usize = 64;

/// Adds an unquoted brace or comma.
pub(super) fn push(word: &mut Word, c: char) {
    word.text.push(match c {
        '{' => OPEN,
        '}' => CLOSE,
        _ => COMMA,
    });
}

/// Returns whether a text is one pair of unquoted braces with something inside.
pub(super) fn is_closed(text: &str) -> bool {
    text.starts_with(OPEN) && text.ends_with(CLOSE)
}

/// Returns a text with its marks replaced by their characters.
pub(super) fn closed(text: String) -> String {
    if !text.contains([OPEN, CLOSE, COMMA]) {
        return text;
    }
    text.replace(OPEN, "{").replace(CLOSE, "}").replace(COMMA, ",")
}

/// Returns the words that a word expands to.
///
/// # Errors
/// If there are too many, or if braces are nested.
pub(super) fn expand(word: &Word) -> Result<Vec<Word>, Unread> {
    let (mut open, mut done, mut ranges) = (vec![word.text.clone()], Vec::new(), 0);
    while let Some(text) = open.pop() {
        if open.len() + done.len() >= MAX_WORDS {
            return Err(Unread::Unknown("braces that expand to too many words"));
        }
        let Some((before, inside, after)) = first_choice(&text)? else {
            done.push(word.with_text(closed(text)));
            continue;
        };
        if inside.contains(COMMA) {
            // One word past the limit shows that there are too many.
            let parts = inside.rsplit(COMMA).take(MAX_WORDS + 1);
            open.extend(parts.map(|part| format!("{before}{part}{after}")));
        } else if let Some((from, to)) = inside.split_once("..") {
            let bound = |text: &str| text.split("..").next().unwrap_or_default().len();
            ranges += 1;
            if bound(from).max(bound(to)) > MAX_DIGITS || ranges > MAX_RANGES {
                return Err(Unread::Unknown("braces that expand to too many words"));
            }
            open.push(format!("{before}{OPAQUE}{after}"));
        }
    }
    Ok(done)
}

/// Returns the texts before, inside and after the first braces that expand. Other braces are literals. The text is read only
/// once.
///
/// # Errors
/// If braces are nested.
fn first_choice(text: &str) -> Result<Option<(&str, &str, &str)>, Unread> {
    meter::count(text.len());
    let (mut open, mut nested) = (None, false);
    for (at, c) in text.char_indices() {
        match (c, open) {
            (OPEN, _) => {
                nested |= open.is_some();
                open = Some(at);
            }
            (CLOSE, Some(_)) if nested => return Err(Unread::Unknown("braces inside others")),
            (CLOSE, Some(start)) => {
                let inside = &text[start + 1..at];
                if inside.contains(COMMA) || inside.contains("..") {
                    return Ok(Some((&text[..start], inside, &text[at + 1..])));
                }
                open = None;
            }
            _ => {}
        }
    }
    Ok(None)
}
