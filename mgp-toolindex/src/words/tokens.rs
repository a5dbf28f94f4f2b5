//! The boundaries of words.

/// Returns the unchanged words of a text: runs of letters and digits, names split at their word boundaries (`readTextFile`,
/// `HTTPServer`), and each character of a script that is written without spaces.
pub(super) fn tokens(text: &str) -> impl Iterator<Item = &str> {
    let mut chars = text.char_indices().peekable();
    // The start of the current word, and its last character.
    let mut word: Option<(usize, char)> = None;
    std::iter::from_fn(move || {
        while let Some((at, c)) = chars.next() {
            let before = word.take();
            if !c.is_alphanumeric() {
                if let Some((start, _)) = before {
                    return Some(&text[start..at]);
                }
                continue;
            }
            let Some((start, last)) = before else {
                word = Some((at, c));
                continue;
            };
            if begins_word(last, c, chars.peek().map(|(_, after)| *after)) {
                word = Some((at, c));
                return Some(&text[start..at]);
            }
            word = Some((start, c));
        }
        word.take().map(|(start, _)| &text[start..])
    })
}

/// Inserts a space before each word that begins inside another, and changes nothing else.
pub(crate) fn split_names(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    let mut chars = text.chars().peekable();
    let mut before: Option<char> = None;
    while let Some(c) = chars.next() {
        if before.is_some_and(|before| begins_word(before, c, chars.peek().copied())) {
            out.push(' ');
        }
        out.push(c);
        before = Some(c);
    }
    out
}

/// Returns whether a word begins at a character, judging by the characters around it.
fn begins_word(before: char, c: char, after: Option<char>) -> bool {
    // Most characters are small ASCII letters, and every one of them is checked.
    if c.is_ascii_lowercase() && before.is_ascii() {
        return false;
    }
    // The last letter of an acronym begins the next word.
    let hump = c.is_uppercase()
        && (before.is_lowercase() || (before.is_uppercase() && after.is_some_and(char::is_lowercase)));
    hump || is_unspaced(c) || is_unspaced(before)
}

/// Returns whether a character belongs to Chinese or Japanese script, which has no spaces between words.
fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{2ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_end_at_case_changes_and_punctuation() {
        let words = |text| tokens(text).collect::<Vec<_>>().join("|");
        for (text, expected) in [
            ("HTTPServer getURL x2", "HTTP|Server|get|URL|x2"),
            ("read_text-file.now, (a)", "read|text|file|now|a"),
            ("修改密码ok é", "修|改|密|码|ok|é"),
            ("", ""),
            ("?!", ""),
            ("A", "A"),
        ] {
            assert_eq!(words(text), expected, "{text}");
        }
        assert_eq!(split_names("HTTPServer get_URL-x2 修改"), "HTTP Server get_URL-x2  修 改");
    }
}
