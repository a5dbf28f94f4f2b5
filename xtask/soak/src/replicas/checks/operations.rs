//! Each operation took effect at most once, and each acknowledged one took effect.

use crate::replicas::{effects::Effects, hosts::OutcomeBook};
use std::collections::BTreeMap;

/// The counts of the operations.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OperationCounts {
    pub(crate) acknowledged: usize,
    pub(crate) effects: usize,
    /// Operations that took effect more than once.
    pub(crate) repeated: usize,
    /// Acknowledged operations without an effect.
    pub(crate) missing: usize,
}

/// Compares the acknowledged operations with the effects. No operation is ever sent twice without a key.
pub(crate) fn operations(book: &OutcomeBook, effects: &Effects) -> OperationCounts {
    let mut counts = OperationCounts { acknowledged: book.acknowledged.len(), ..OperationCounts::default() };
    let mut of: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for effect in effects.all() {
        counts.effects += 1;
        *of.entry((&effect.tool, &effect.operation)).or_default() += 1;
    }
    counts.repeated = of.values().filter(|count| **count > 1).count();
    let without = |(operation, tool): &(&String, &&'static str)| effects.count(tool, operation) == 0;
    counts.missing = book.acknowledged.iter().filter(without).count();
    counts
}
