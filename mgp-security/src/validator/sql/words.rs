//! Words and marks of SQL, as a dialect reads them.

use crate::meter;
use sqlparser::{
    dialect::Dialect,
    tokenizer::{Token, Tokenizer, Whitespace},
};

/// A significant word or mark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Mark {
    /// A word without quotes, in lower case.
    Word(String),
    /// A name in quotes, in lower case.
    Name(String),
    /// A text in quotes.
    Text,
    /// A number, or a placeholder for a value.
    Value,
    /// An operator that joins two expressions, so that a chain of them nests.
    Operator,
    Open,
    Close,
    Comma,
    Period,
    Semicolon,
}

/// Returns the words and marks of a text in a dialect, or `None` if the text cannot be read.
pub(super) fn marks(dialect: &dyn Dialect, text: &str) -> Option<Vec<Mark>> {
    meter::count(text.len());
    let tokens = Tokenizer::new(dialect, text).tokenize().ok()?;
    tokens.into_iter().filter_map(|token| mark(token).transpose()).collect::<Result<_, _>>().ok()
}

/// The mark that sets a variable, or names an argument.
pub(super) const SETS: &str = ":=";

/// A token that is not followed.
struct Unread;

fn mark(token: Token) -> Result<Option<Mark>, Unread> {
    Ok(Some(match token {
        // Some dialects run the text of such a comment.
        Token::Whitespace(Whitespace::MultiLineComment(inside)) if inside.starts_with(['!', 'M']) => {
            return Err(Unread);
        }
        Token::Whitespace(_) | Token::EOF => return Ok(None),
        Token::Word(word) if word.quote_style.is_some() => Mark::Name(word.value.to_lowercase()),
        // A name in some dialects.
        Token::DoubleQuotedString(name) => Mark::Name(name.to_lowercase()),
        Token::Word(word) => Mark::Word(word.value.to_lowercase()),
        Token::SingleQuotedString(_)
        | Token::NationalStringLiteral(_)
        | Token::EscapedStringLiteral(_)
        | Token::HexStringLiteral(_)
        | Token::UnicodeStringLiteral(_)
        | Token::DollarQuotedString(_) => Mark::Text,
        Token::Number(..) | Token::Placeholder(_) => Mark::Value,
        Token::Assignment => Mark::Word(SETS.to_owned()),
        Token::LParen => Mark::Open,
        Token::RParen => Mark::Close,
        Token::Comma => Mark::Comma,
        Token::Period => Mark::Period,
        Token::SemiColon => Mark::Semicolon,
        Token::Char(_) | Token::Backslash => return Err(Unread),
        _ => Mark::Operator,
    }))
}

/// Returns the word at an index.
pub(super) fn word(marks: &[Mark], at: usize) -> &str {
    match marks.get(at) {
        Some(Mark::Word(word)) => word,
        _ => "",
    }
}
