//! Sessions went on soon after each fault.

use crate::replicas::{faults::{FaultKind, KINDS, Window}, hosts::OutcomeBook};
use std::{collections::BTreeMap, time::Duration};
use tokio::time::Instant;

/// The longest times without an answer, by fault.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct SessionTimes {
    /// For each fault, the longest time of each window.
    pub(crate) longest: BTreeMap<&'static str, Vec<Duration>>,
    /// The longest time outside all faults.
    pub(crate) otherwise: Duration,
}

/// The time after a fault in which a gap is one of the fault's.
const AFTER: Duration = Duration::from_secs(5);

/// Measures the time for which sessions did not answer, from a fault on. Faults of the database count from their end on.
pub(crate) fn sessions(book: &OutcomeBook, windows: &[Window]) -> SessionTimes {
    let mut times = SessionTimes::default();
    for kind in KINDS {
        times.longest.insert(kind.name(), Vec::new());
    }
    let start = |window: &Window| if window.kind.is_of_database() { window.end } else { window.begin };
    let mut is_explained = vec![false; book.gaps.len()];
    for window in windows {
        let mut longest = Duration::ZERO;
        for (gap, is_explained) in book.gaps.iter().zip(&mut is_explained) {
            if gap.to > window.begin && gap.from < window.end + AFTER {
                *is_explained = true;
                let from: Instant = gap.from.max(start(window));
                longest = longest.max(gap.to.saturating_duration_since(from));
            }
        }
        times.longest.entry(name(window.kind)).or_default().push(longest);
    }
    let others = book.gaps.iter().zip(is_explained).filter(|(_, is_explained)| !is_explained);
    times.otherwise = others.map(|(gap, _)| gap.to - gap.from).max().unwrap_or_default();
    times
}

fn name(kind: FaultKind) -> &'static str {
    kind.name()
}
