//! The names that a tool may have.

/// Returns `true` if clients accept a name: 1 to 64 characters of `A-Za-z0-9_./-`.
pub(super) fn is_valid(name: &str) -> bool {
    (1..=64).contains(&name.len())
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'/' | b'-'))
}

#[cfg(test)]
mod tests {
    use super::is_valid;

    #[test]
    fn a_name_has_one_to_64_plain_characters() {
        for name in ["a", "read_file", "fs/read.v2-x", &"x".repeat(64)] {
            assert!(is_valid(name), "{name}");
        }
        for name in ["", "a b", "ä", "a\n", "a:b", &"x".repeat(65)] {
            assert!(!is_valid(name), "{name:?}");
        }
    }
}
