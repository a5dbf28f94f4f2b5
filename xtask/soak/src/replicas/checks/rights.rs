//! No call passed after a right was revoked.

use crate::replicas::{
    effects::Effects,
    hosts::{OutcomeBook, Revocation},
};
use std::time::Duration;

/// The times at which calls still passed.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct RightsTimes {
    /// The number of revocations.
    pub(crate) revocations: usize,
    /// The guarded calls that passed.
    pub(crate) passed: usize,
    /// The time after each revocation at which the last call passed; sorted, without those after which none did.
    pub(crate) late: Vec<Duration>,
}

/// Finds the calls of guests that passed without a right.
pub(crate) fn rights(book: &OutcomeBook, effects: &Effects) -> RightsTimes {
    let mut at: Vec<Duration> = effects
        .all()
        .filter(|effect| effect.operation.starts_with("guest"))
        .map(|effect| effect.at)
        .collect();
    at.sort_unstable();
    let last = |revocation: &Revocation| {
        let within =
            |at: &&Duration| **at > revocation.from && revocation.until.is_none_or(|until| **at < until);
        at.iter().rfind(within).map(|at| *at - revocation.from)
    };
    let mut late: Vec<_> = book.revocations.iter().filter_map(last).collect();
    late.sort_unstable();
    RightsTimes { revocations: book.revocations.len(), passed: at.len(), late }
}
