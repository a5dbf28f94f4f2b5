//! Names that every host accepts: 1 to 64 letters, digits, `_` and `-`.

use sha2::{Digest, Sha256};

/// The longest name that every host accepts.
pub(super) const MAX_LENGTH: usize = 64;

/// How many digits of the hash a name ends in.
const DIGITS: usize = 6;

/// The name with every other character replaced by `_`.
pub(super) fn plain(name: &str) -> String {
    let legal = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    name.chars().map(|c| if legal(c) { c } else { '_' }).collect()
}

/// The name with a hash of the tool's full name at its end, cut to fit. `taken` says which names are in use.
pub(super) fn hashed(name: &str, full_name: &str, taken: impl Fn(&str) -> bool) -> String {
    let digest = Sha256::digest(full_name.as_bytes());
    let hash: String = digest.iter().flat_map(|byte| [byte >> 4, byte & 15]).map(digit).collect();
    // More digits only where six are taken, which takes millions of tools or somebody who tried.
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
