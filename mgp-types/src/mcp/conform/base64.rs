//! Base64, in the form that hosts' SDKs accept.

use std::borrow::Cow;

/// Returns whether the text of a JSON string, without its quotes, is Base64 as RFC 4648 writes it, with or without padding.
pub(super) fn is_base64(text: &[u8]) -> bool {
    let data = text.strip_suffix(b"==").or_else(|| text.strip_suffix(b"=")).unwrap_or(text);
    // Every byte is compared, without an early exit, because many bytes can be compared at once.
    let is_digit = |byte: &u8| {
        byte.is_ascii_uppercase()
            | byte.is_ascii_lowercase()
            | byte.is_ascii_digit()
            | (*byte == b'+')
            | (*byte == b'/')
    };
    let is_length = if data.len() == text.len() { data.len() % 4 != 1 } else { text.len().is_multiple_of(4) };
    is_length && data.iter().fold(true, |all, byte| all & is_digit(byte))
}

/// Normalizes Base64: removes the prefix of a `data:` URI and white space, and uses the standard alphabet. Returns `None` for
/// a text that is not Base64.
pub(super) fn read(text: &str) -> Option<String> {
    let data = match text.strip_prefix("data:") {
        Some(rest) => rest.split_once(";base64,")?.1,
        None => text,
    };
    let standard = |one: char| match one {
        '-' => '+',
        '_' => '/',
        other => other,
    };
    let is_other = |one: char| one.is_ascii_whitespace() || matches!(one, '-' | '_');
    let data: Cow<'_, str> = if data.contains(is_other) {
        data.chars().filter(|one| !one.is_ascii_whitespace()).map(standard).collect::<String>().into()
    } else {
        data.into()
    };
    is_base64(data.as_bytes()).then(|| data.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_recognised_and_its_other_forms_are_read() {
        for (text, expected) in [
            ("", Some("")),
            ("AAAA", Some("AAAA")),
            ("AA==", Some("AA==")),
            ("AAE=", Some("AAE=")),
            ("AA", Some("AA")),
            ("A+/a", Some("A+/a")),
            ("A-_a", Some("A+/a")),
            ("AA\nAA ", Some("AAAA")),
            ("data:image/png;base64,AAAA", Some("AAAA")),
            ("data:image/png,AAAA", None),
            ("A", None),
            ("AAAAA", None),
            ("AAA==", None),
            ("A===", None),
            ("A\u{e9}AA", None),
            ("not base64!", None),
        ] {
            assert_eq!(read(text).as_deref(), expected, "{text:?}");
            assert_eq!(is_base64(text.as_bytes()), expected == Some(text), "{text:?}");
        }
    }
}
