//! The bounds on a policy file. Cedar's parser and checks recurse, so that the nesting of a policy is bounded before they see it.

use super::{CedarProblem, place::Source};

/// The largest policy file that is read, in bytes.
pub(super) const MAX_BYTES: usize = 1024 * 1024;

/// The deepest nesting of brackets.
pub(super) const MAX_DEPTH: usize = 32;

/// The most signs in one policy that may nest its expression: operators, accesses to attributes, `if`, and `{`, because all conditions of a
/// policy are one expression. `&&` and `||` count twice.
pub(super) const MAX_SIGNS: usize = 1000;

/// Checks the bounds on a file's text.
pub(super) fn check(source: Source<'_>) -> Result<(), CedarProblem> {
    let text = source.text.as_bytes();
    if text.len() > MAX_BYTES {
        return Err(source.problem(0, format!("{} bytes: expected at most {MAX_BYTES}", text.len())));
    }
    let (mut at, mut depth, mut signs) = (0, 0_usize, 0_usize);
    while at < text.len() {
        match text[at] {
            b'"' => at = end_of_string(text, at),
            b'/' if text.get(at + 1) == Some(&b'/') => {
                at += text[at..].iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(text.len());
            }
            b'(' | b'[' => depth += 1,
            b'{' => (depth, signs) = (depth + 1, signs + 1),
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b';' => (depth, signs) = (0, 0),
            b'.' | b'!' | b'+' | b'-' | b'*' | b'&' | b'|' => signs += 1,
            b'i' if text[at..].starts_with(b"if") => signs += 1,
            _ => {}
        }
        if depth > MAX_DEPTH {
            let message = format!("too many open brackets: expected at most {MAX_DEPTH}");
            return Err(source.problem(at, message));
        }
        if signs > MAX_SIGNS {
            let message = format!(
                "the policy is too long: expected at most {MAX_SIGNS} operators and conditions; make it several policies, or compare with a set"
            );
            return Err(source.problem(at, message));
        }
        at += 1;
    }
    Ok(())
}

/// Returns the place of the quotation mark that ends a string, or the end of the text.
fn end_of_string(text: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < text.len() {
        match text[at] {
            b'\\' => at += 2,
            b'"' => return at,
            _ => at += 1,
        }
    }
    text.len()
}
