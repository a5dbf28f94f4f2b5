//! Words as Bash reads them: without quotes, and with the values of variables.

use super::scope::Scope;
use crate::code_safety::source_tree::SourceTree;

/// Replaces a part of a word that is known only when the code runs.
pub(super) const OPAQUE: char = '\0';

/// Returns the text of a word, with [`OPAQUE`] for each unknown part.
pub(super) fn word(tree: &SourceTree<'_>, scope: &Scope, at: usize) -> String {
    let mut result = String::new();
    let (mut next, mut quoted_end) = (at, 0);
    let end = tree.items[at].end;
    while next < end {
        let text = tree.text(next);
        let mut skip = tree.items[next].end;
        match tree.kind(next) {
            "word" => result.push_str(&plain(text)),
            "number" | "variable_name" | "test_operator" | "file_descriptor" => result.push_str(text),
            "raw_string" => result.push_str(text.trim_start_matches('\'').trim_end_matches('\'')),
            "ansi_c_string" => {
                result.push_str(&ansi(text.get(2..text.len().saturating_sub(1)).unwrap_or_default()));
            }
            "string" if is_constant(tree, next) => {
                result.push_str(&quoted(text.get(1..text.len().saturating_sub(1)).unwrap_or_default()));
            }
            "string_content" => result.push_str(&quoted(text)),
            "simple_expansion" | "expansion" => match scope.constant(tree, next) {
                Some(value) if tree.copies(value) => result.push_str(value),
                _ => result.push(OPAQUE),
            },
            "string" | "concatenation" | "translated_string" | "command_name" => {
                if tree.kind(next) == "string" {
                    quoted_end = tree.items[next].end;
                }
                skip = next + 1;
            }
            _ if !tree.items[next].named && tree.is_leaf(next) => {
                // Quotes and dollars around strings.
                if next != at && matches!(text, "[" | "*" | "?") && next >= quoted_end {
                    result.push(OPAQUE);
                } else if !matches!(text, "\"" | "$") {
                    result.push_str(text);
                }
            }
            _ => result.push(OPAQUE),
        }
        next = skip;
    }
    result
}

/// Returns the words that a part of a command expands to. If their number is unknown, a single unknown word is returned.
pub(super) fn words(tree: &SourceTree<'_>, scope: &Scope, at: usize) -> Vec<String> {
    let unknown = || vec![OPAQUE.to_string()];
    if has_braces(tree, at) {
        return unknown();
    }
    let text = word(tree, scope, at);
    let (is_split, is_alone) = (is_split(tree, scope, at), is_variable(tree, at));
    match (is_split, is_alone && !scope.sets("IFS") && !text.contains(['*', '?', '[', OPAQUE])) {
        (false, _) => vec![text],
        (true, true) => text.split_whitespace().map(str::to_owned).collect(),
        (true, false) => unknown(),
    }
}

fn is_variable(tree: &SourceTree<'_>, at: usize) -> bool {
    matches!(tree.kind(at), "simple_expansion" | "expansion")
}

/// Returns the parts of a word outside quotes.
fn bare_parts<'a>(tree: &'a SourceTree<'_>, at: usize) -> impl Iterator<Item = usize> + 'a {
    let (mut next, end) = (at, tree.items[at].end);
    std::iter::from_fn(move || {
        while next < end {
            let part = next;
            let is_whole = matches!(
                tree.kind(part),
                "string" | "raw_string" | "ansi_c_string" | "translated_string" | "command_substitution"
            ) || is_variable(tree, part);
            next = if is_whole { tree.items[part].end } else { part + 1 };
            if tree.is_leaf(part) || is_variable(tree, part) {
                return Some(part);
            }
        }
        None
    })
}

/// Returns whether Bash splits a word, because an unquoted variable has blanks or patterns in its value.
fn is_split(tree: &SourceTree<'_>, scope: &Scope, at: usize) -> bool {
    let splits = |text: &str| text.contains(|c: char| c.is_whitespace() || "*?[".contains(c));
    bare_parts(tree, at)
        .filter(|part| is_variable(tree, *part))
        .any(|part| scope.sets("IFS") || scope.constant(tree, part).is_some_and(splits))
}

/// Returns whether unquoted braces expand a word to several words.
fn has_braces(tree: &SourceTree<'_>, at: usize) -> bool {
    if !matches!(tree.kind(at), "concatenation" | "brace_expression") {
        return false;
    }
    let mut is_open = false;
    let mut separates = false;
    for part in bare_parts(tree, at).filter(|part| !is_variable(tree, *part)) {
        let text = tree.text(part);
        is_open |= text.contains('{');
        separates |= is_open && (text.contains(',') || text.contains(".."));
    }
    separates
}

fn is_constant(tree: &SourceTree<'_>, string: usize) -> bool {
    tree.named_children(string).all(|at| tree.kind(at) == "string_content")
}

/// Reads a word outside quotes. Patterns and braces are unknown parts.
fn plain(text: &str) -> String {
    if text == "[" || text == "{}" {
        return text.to_owned();
    }
    let mut result = String::new();
    let mut chars = text.chars();
    let mut depth = 0;
    while let Some(c) = chars.next() {
        match c {
            '\\' => result.extend(chars.next().filter(|c| *c != '\n')),
            '*' | '?' | '[' => result.push(OPAQUE),
            '{' => {
                depth += 1;
                result.push('{');
            }
            ',' | '.' if depth > 0 => return OPAQUE.into(),
            c => result.push(c),
        }
    }
    result
}

/// Reads the text between double quotes.
fn quoted(text: &str) -> String {
    let mut result = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('\n') | None => {}
                Some(c @ ('$' | '`' | '"' | '\\')) => result.push(c),
                Some(c) => result.extend(['\\', c]),
            },
            c => result.push(c),
        }
    }
    result
}

/// Reads the text of `$'...'`.
fn ansi(text: &str) -> String {
    let mut result = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        result.push_str(before);
        let Some(first) = after.chars().next() else { break };
        let digits = |from: usize, most: usize, radix: u32| {
            after[from..].chars().take(most).take_while(|c| c.is_digit(radix)).count()
        };
        let (from, length, radix) = match first {
            'x' => (1, digits(1, 2, 16), 16),
            'u' => (1, digits(1, 4, 16), 16),
            'U' => (1, digits(1, 8, 16), 16),
            '0'..='7' => (0, digits(0, 3, 8), 8),
            _ => (0, 0, 0),
        };
        if length > 0 {
            let code = u32::from_str_radix(&after[from..from + length], radix).ok().and_then(char::from_u32);
            result.push(code.unwrap_or(OPAQUE));
            rest = &after[from + length..];
            continue;
        }
        result.push(match first {
            'n' => '\n',
            't' => '\t',
            '\\' | '\'' | '"' | '?' => first,
            _ => OPAQUE,
        });
        rest = &after[first.len_utf8()..];
    }
    result + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_as_bash_reads_them() {
        assert_eq!(
            (plain(r"e\val"), plain("a*"), plain("{a,b}")),
            ("eval".into(), "a\0".into(), "\0".into())
        );
        assert_eq!((quoted(r"\$a\b"), plain("e\\\nval")), ("$a\\b".into(), "eval".into()));
        assert_eq!(
            (ansi(r"\x65v\141l"), ansi(r"\u0065\n"), ansi(r"\cA")),
            ("eval".into(), "e\n".into(), "\0A".into())
        );
    }
}
