//! The hash of a JSON text's canonical form.

use mgp_types::json::RawJson;
use sha2::{Digest, Sha256};

/// Returns the SHA-256 of a value's [canonical form](RawJson::canonical).
#[must_use]
pub fn digest(value: &RawJson) -> [u8; 32] {
    Sha256::digest(value.canonical()).into()
}
