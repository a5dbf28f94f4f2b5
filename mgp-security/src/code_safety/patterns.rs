//! Blocked patterns, matched on tokens: blanks and comments do not count, and neither does the text of strings.

use super::{
    finding::{Finding, Kind, Place},
    source_tree::SourceTree,
    violation::Violation,
};

/// A token of code, or of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Token<'a> {
    Word(&'a str),
    Sign(char),
    Text,
}

/// Returns the patterns that occur in code, in its tokens or in the resolved names of its uses.
pub(super) fn in_code(
    tree: &SourceTree<'_>,
    findings: &[Finding],
    patterns: &[String],
) -> Vec<(Place, String)> {
    if patterns.is_empty() {
        return Vec::new();
    }
    let code = tokens_of(tree);
    let mut found = Vec::new();
    for pattern in patterns {
        let wanted = split(pattern);
        if wanted.is_empty() {
            continue;
        }
        let here = code.windows(wanted.len()).filter(|some| some.iter().map(|(token, _)| token).eq(&wanted));
        found.extend(here.map(|some| (some[0].1, pattern.clone())));
        let name: Vec<_> = wanted.iter().take_while(|token| **token != Token::Sign('(')).cloned().collect();
        let resolved = findings.iter().filter(|finding| match &finding.kind {
            Kind::Use(used) | Kind::Import(used) => !name.is_empty() && split(used) == name,
            _ => false,
        });
        found.extend(resolved.map(|finding| (finding.place, pattern.clone())));
    }
    found
}

/// Returns the patterns that occur in a text in an unknown language.
pub(super) fn in_text(text: &str, patterns: &[String]) -> Vec<Violation> {
    let tokens = split(text);
    let occurs = |pattern: &&String| {
        let wanted = split(pattern);
        !wanted.is_empty() && tokens.windows(wanted.len()).any(|some| some == wanted)
    };
    let named = |pattern: &String| Violation {
        name: Some(pattern.clone()),
        ..Violation::new(format!("Blocked pattern: '{pattern}'"))
    };
    patterns.iter().filter(occurs).map(named).collect()
}

fn tokens_of<'a>(tree: &SourceTree<'a>) -> Vec<(Token<'a>, Place)> {
    let mut tokens = Vec::new();
    for at in 0..tree.items.len() {
        let kind = tree.kind(at);
        if !tree.is_leaf(at) || kind.contains("comment") {
            continue;
        }
        if kind.starts_with("string_")
            || kind.starts_with("heredoc_")
            || kind == "escape_sequence"
            || kind == "raw_string"
        {
            tokens.push((Token::Text, tree.place(at)));
        } else {
            tokens.extend(split(tree.text(at)).into_iter().map(|token| (token, tree.place(at))));
        }
    }
    tokens
}

/// Splits a text into words and punctuation.
fn split(text: &str) -> Vec<Token<'_>> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let end =
            if is_word(first) { rest.find(|c| !is_word(c)).unwrap_or(rest.len()) } else { first.len_utf8() };
        let (token, after) = rest.split_at(end);
        tokens.push(if is_word(first) { Token::Word(token) } else { Token::Sign(first) });
        rest = after.trim_start();
    }
    tokens
}
