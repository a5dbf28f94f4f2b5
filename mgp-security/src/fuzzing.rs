//! The count of the work of judges, made public for the targets of `xtask/fuzz`.

use crate::meter;

/// Runs a judgement on this thread, and returns its outcome with the steps that it took.
pub fn steps_of<T>(judge: impl FnOnce() -> T) -> (T, u64) {
    meter::steps_of(judge)
}
