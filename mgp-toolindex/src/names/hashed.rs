//! Names that every host accepts: 1 to 64 letters, digits, `_` and `-`.

use sha2::{Digest, Sha256};

/// The longest name that every host accepts.
pub(super) const MAX_LENGTH: usize = 64;

/// The number of digits of the hash that a name ends in.
const DIGITS: usize = 6;

/// Returns the name with `_` instead of every character that not all hosts accept.
pub(super) fn plain(name: &str) -> String {
    let legal = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    name.chars().map(|c| if legal(c) { c } else { '_' }).collect()
}

/// Returns the name with a hash of the tool's full name at its end, cut to fit. `taken` returns whether a name is in
/// use.
pub(super) fn hashed(name: &str, full_name: &str, taken: impl Fn(&str) -> bool) -> String {
    let digest = Sha256::digest(full_name.as_bytes());
    let hash: String = digest.iter().flat_map(|byte| [byte >> 4, byte & 15]).map(digit).collect();
    // More digits only if a name with six is taken, which requires millions of tools or an attack.
    let longer = DIGITS..=MAX_LENGTH - 1;
    let candidates = longer.map(|digits| {
        let kept: String = plain(name).chars().take(MAX_LENGTH - digits - 1).collect();
        format!("{kept}_{}", &hash[..digits])
    });
    let mut last = String::new();
    for candidate in candidates {
        if !taken(&candidate) {
            return candidate;
        }
        last = candidate;
    }
    last
}

fn digit(half: u8) -> char {
    char::from_digit(u32::from(half), 16).unwrap_or('0')
}
