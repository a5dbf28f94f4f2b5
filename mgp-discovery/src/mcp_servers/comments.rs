//! JSON as editors write it: with comments and commas at the end of lists.

/// Replaces comments and trailing commas by spaces, so that lines and columns of the rest stay the same.
pub(super) fn plain(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let mut at = 0;
    let mut comma = None;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                at = string_end(&bytes, at);
                comma = None;
                continue;
            }
            b'/' if bytes.get(at + 1) == Some(&b'/') => {
                let end = bytes[at..].iter().position(|b| *b == b'\n').map_or(bytes.len(), |n| at + n);
                bytes[at..end].fill(b' ');
            }
            b'/' if bytes.get(at + 1) == Some(&b'*') => {
                let end =
                    bytes[at + 2..].windows(2).position(|w| w == b"*/").map_or(bytes.len(), |n| at + n + 4);
                bytes[at..end].iter_mut().filter(|b| **b != b'\n').for_each(|b| *b = b' ');
            }
            b',' => comma = Some(at),
            b'}' | b']' => {
                if let Some(comma) = comma.take() {
                    bytes[comma] = b' ';
                }
            }
            b if !b.is_ascii_whitespace() => comma = None,
            _ => {}
        }
        at += 1;
    }
    // Whole comments were replaced, so that no character was cut.
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Returns the offset after the string that starts at `at`.
fn string_end(bytes: &[u8], at: usize) -> usize {
    let mut at = at + 1;
    while at < bytes.len() && bytes[at] != b'"' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    (at + 1).min(bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_trailing_commas_are_removed_outside_strings() {
        let text = "{ // é\n \"a\": \"// no /* \\\" comment\", /* x\n y */ \"b\": [1, 2, /* z */ ], }";
        let value: serde_json::Value = serde_json::from_str(&plain(text)).unwrap();
        assert_eq!(value, serde_json::json!({"a": "// no /* \" comment", "b": [1, 2]}));
    }

    #[test]
    fn broken_text_ends_too() {
        for text in ["\"", "\"\\", "/*", "//", "/", ",", "{,}", "\"a\\\""] {
            assert!(plain(text).len() >= text.len());
        }
    }
}
