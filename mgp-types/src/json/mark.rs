//! The byte order mark that some programs write before a text.

/// The byte order mark, in UTF-8.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// Returns a text without the byte order mark before it, if it has one.
///
/// ```
/// use mgp_types::json::without_mark;
/// assert_eq!(without_mark(b"\xEF\xBB\xBF{}"), b"{}");
/// assert_eq!(without_mark(b"{}"), b"{}");
/// ```
#[must_use]
pub fn without_mark(text: &[u8]) -> &[u8] {
    text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text)
}
