//! The work of a judge on a text, counted.

use mgp_security::fuzzing::steps_of;

/// The length to which a text is repeated, in bytes: work that grows with the square of a length shows there.
const LENGTH: usize = 16 * 1024;

/// The most steps for each byte.
const STEPS_PER_BYTE: u64 = 4096;

/// Judges a text that repeats a short one, and checks that the work grows no faster than its length.
///
/// # Panics
/// If it takes too many steps.
pub(crate) fn check(text: &str, judge: impl FnOnce(&str)) {
    if text.is_empty() {
        return;
    }
    let long = text.repeat(LENGTH.div_ceil(text.len()));
    let ((), steps) = steps_of(|| judge(&long));
    let limit = STEPS_PER_BYTE * long.len() as u64;
    assert!(steps <= limit, "{steps} steps for {} bytes: expected at most {limit}", long.len());
}
