//! JSON literals of tests.

use mgp_types::json::RawJson;

/// Returns a text as JSON.
///
/// # Panics
/// If it is not JSON.
#[must_use]
pub fn json(text: &str) -> RawJson {
    RawJson::parse(text.to_owned()).unwrap()
}
