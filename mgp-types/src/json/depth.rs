//! The bound on nesting, checked on the text itself.

use super::JsonError;

/// The deepest nesting of arrays and objects that is read, in levels.
pub const MAX_DEPTH: usize = 128;

/// Refuses text whose arrays and objects nest deeper than [`MAX_DEPTH`].
///
/// Works on the raw bytes and does not need valid JSON: the parser that runs afterwards reports invalid text.
pub(crate) fn check_depth(text: &[u8]) -> Result<(), JsonError> {
    // Fewer opening brackets than the limit cannot nest deeper than it, and most messages have few.
    if text.len() <= MAX_DEPTH || memchr::memchr2_iter(b'{', b'[', text).nth(MAX_DEPTH).is_none() {
        return Ok(());
    }
    let mut depth = 0usize;
    let mut rest = text;
    while let Some(&byte) = rest.first() {
        rest = &rest[1..];
        match byte {
            b'"' => rest = after_string(rest),
            b'{' | b'[' => {
                depth += 1;
                if depth > MAX_DEPTH {
                    return Err(JsonError::TooDeep { limit: MAX_DEPTH });
                }
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    Ok(())
}

/// Returns the text after the string whose opening quote was just read.
pub(super) fn after_string(mut rest: &[u8]) -> &[u8] {
    while let Some(at) = memchr::memchr2(b'"', b'\\', rest) {
        if rest[at] == b'"' {
            return &rest[at + 1..];
        }
        rest = rest.get(at + 2..).unwrap_or_default();
    }
    &[]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_is_accepted_and_one_more_is_not() {
        let nested = |n: usize| [vec![b'['; n], vec![b']'; n]].concat();
        assert_eq!(check_depth(&nested(MAX_DEPTH)), Ok(()));
        assert_eq!(check_depth(&nested(MAX_DEPTH + 1)), Err(JsonError::TooDeep { limit: MAX_DEPTH }));
    }

    #[test]
    fn brackets_inside_strings_do_not_count() {
        let text = format!(r#"["{}\"{}"]"#, "[".repeat(300), "{".repeat(300));
        assert_eq!(check_depth(text.as_bytes()), Ok(()));
    }

    #[test]
    fn an_unterminated_string_is_not_read_past_its_end() {
        let text = format!("\"{}\\", "a".repeat(200));
        assert_eq!(check_depth(text.as_bytes()), Ok(()));
    }
}
