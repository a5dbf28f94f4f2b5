//! Hexadecimal digits.

use std::fmt::Write;

/// Returns bytes as hexadecimal digits in lower case.
///
/// ```
/// assert_eq!(mgp_types::hex::encode([0x0f, 0xa0]), "0fa0");
/// ```
#[must_use]
pub fn encode(bytes: impl AsRef<[u8]>) -> String {
    let bytes = bytes.as_ref();
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut digits, byte| {
        // Writing into a string cannot fail.
        let _ = write!(digits, "{byte:02x}");
        digits
    })
}
