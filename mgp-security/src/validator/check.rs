//! The trait of validators.

use super::{Input, Verdict};
use std::fmt;

/// A check of the arguments of a call before the call is sent to a server.
///
/// A validator answers only from the input: the same arguments always get the same answer. Long arguments are checked on a thread of a
/// bounded pool, of which each caller uses one at a time. A check that may take long calls [`Input::in_time`] at intervals.
pub trait Validator: fmt::Debug + Send + Sync + 'static {
    /// Returns the name of the validator in configuration and tools.
    fn name(&self) -> &str;

    /// Checks the arguments.
    fn check(&self, input: &Input<'_>) -> Verdict;
}
