//! Tokens that query languages have in common.

use crate::meter;

/// A token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    /// A word without quotes, in lower case; `caps` is true if it is written in capitals.
    Word { text: String, caps: bool },
    /// A name in double quotes, backticks or brackets, or a text in quotes.
    Quoted,
    /// A number.
    Number,
    /// Any other character.
    Mark(char),
}

impl Token {
    /// Returns the word, or nothing.
    pub(super) fn word(&self) -> &str {
        match self {
            Self::Word { text, .. } => text,
            _ => "",
        }
    }

    /// Returns whether the token may be a name.
    pub(super) fn is_name(&self) -> bool {
        matches!(self, Self::Word { .. } | Self::Quoted)
    }
}

/// The longest text that is judged, in bytes; longer ones are asked about. It is also the limit on tokens, so that no shorter text
/// exceeds that limit.
pub(super) const LONGEST: usize = 64 * 1024;

/// Returns the tokens of a text, without comments. Unclosed quotes hide nothing: a mark replaces them.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    meter::count(text.len());
    let mut tokens = Vec::new();
    let mut rest = text;
    let mut open = ['\0'; 3];
    // False once a comment is known not to end.
    let mut closes = true;
    while let Some(first) = rest.chars().next() {
        if tokens.len() >= LONGEST {
            break;
        }
        let comment = comment_length(rest, &mut closes);
        if comment > 0 {
            rest = &rest[comment..];
            continue;
        }
        let length = match first {
            c if c.is_whitespace() || is_invisible(c) => c.len_utf8(),
            // The search for a missing end is made only once for each kind of quotes.
            '\'' | '"' | '`' if !open.contains(&first) => match quoted_length(rest, first) {
                Some(length) => {
                    tokens.push(Token::Quoted);
                    length
                }
                None => {
                    let free = open.iter().position(|quote| *quote == '\0').unwrap_or(2);
                    open[free] = first;
                    tokens.push(Token::Mark(first));
                    1
                }
            },
            c if c.is_alphabetic() || c == '_' => {
                let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$'));
                let word = &rest[..end.unwrap_or(rest.len())];
                let caps = word.len() > 1 && !word.chars().any(char::is_lowercase);
                tokens.push(Token::Word { text: word.to_lowercase(), caps });
                word.len()
            }
            c if c.is_ascii_digit() => {
                tokens.push(Token::Number);
                rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '.')).unwrap_or(rest.len())
            }
            c => {
                tokens.push(Token::Mark(c));
                c.len_utf8()
            }
        };
        rest = &rest[length..];
    }
    tokens
}

/// Returns whether a character is invisible.
pub(super) fn is_invisible(c: char) -> bool {
    matches!(c, '\u{feff}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}' | '\0')
}

/// Returns the length of the comment at the beginning of a text; zero if there is none.
/// `closes` becomes false once a comment does not end, so that the end is searched for only once.
fn comment_length(text: &str, closes: &mut bool) -> usize {
    let line = |from: usize| text[from..].find(['\n', '\r']).map_or(text.len(), |end| from + end);
    if let Some(comment) = text.strip_prefix("/*") {
        // Some engines run the text of such a comment.
        if comment.starts_with(['!', 'M']) {
            return 2;
        }
        let end = if *closes { comment.find("*/") } else { None };
        *closes = end.is_some();
        return end.map_or(2, |end| end + 4);
    }
    if text.starts_with("--") && text[2..].starts_with(|c: char| c.is_whitespace() || c == '-')
        || text.starts_with("# ")
    {
        return line(1);
    }
    0
}

/// Returns the length of the quotes at the beginning of a text. `None` if they do not end.
fn quoted_length(text: &str, quote: char) -> Option<usize> {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        if escaped {
            escaped = false;
        } else if c == '\\' {
            escaped = true;
        } else if c == quote {
            return Some(at + 1);
        }
    }
    None
}
