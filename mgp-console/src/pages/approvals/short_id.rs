//! Short ids of questions.

use crate::page::plain;

/// Returns the beginning of an id, with which commands find it: the time of the question in milliseconds.
pub(super) fn short(id: &str) -> String {
    let beginning: String = id.chars().take("conf-00000000-0000".len()).collect();
    plain(&beginning)
}
