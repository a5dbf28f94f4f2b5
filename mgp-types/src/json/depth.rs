//! The bound on nesting, checked on the text itself.

use super::JsonError;

/// The deepest nesting of arrays and objects that is read, in levels.
pub const MAX_DEPTH: usize = 128;

/// Refuses text whose arrays and objects nest deeper than [`MAX_DEPTH`].
///
/// Works on the raw bytes and does not need valid JSON: the parser that runs afterwards reports invalid text.
pub(crate) fn check_depth(text: &[u8]) -> Result<(), JsonError> {
    // Fewer opening brackets than the limit cannot nest deeper than it, and most messages have few.
    if text.len() <= MAX_DEPTH || opening_brackets(text) <= MAX_DEPTH {
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

/// Returns the number of opening brackets in a text, also in its strings.
fn opening_brackets(text: &[u8]) -> usize {
    // The two differ in one bit, so that one comparison finds both. Many bytes are compared and counted at once, without an early exit.
    let is_opening = |byte: &u8| u8::from(byte | (b'[' ^ b'{') == b'{');
    text.chunks(255).map(|chunk| usize::from(chunk.iter().map(is_opening).sum::<u8>())).sum()
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
    fn both_opening_brackets_are_counted_and_no_other_byte() {
        for byte in 0..=u8::MAX {
            let expected = if matches!(byte, b'{' | b'[') { 600 } else { 0 };
            assert_eq!(opening_brackets(&[byte; 600]), expected, "{byte}");
        }
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
