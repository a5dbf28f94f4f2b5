//! Input as text.

/// Returns the bytes up to the first that is not UTF-8.
pub(crate) fn valid_start(data: &[u8]) -> &str {
    match std::str::from_utf8(data) {
        Ok(text) => text,
        Err(error) => std::str::from_utf8(&data[..error.valid_up_to()]).unwrap_or_default(),
    }
}
