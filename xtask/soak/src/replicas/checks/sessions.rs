//! Sessions went on soon after each fault.

use crate::replicas::{
    faults::{KINDS, Window},
    hosts::{Gap, OutcomeBook},
};
use std::{collections::BTreeMap, time::Duration};

/// The times without an answer, by fault.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct SessionTimes {
    /// For each fault, the times that are long enough to be noted, sorted.
    pub(crate) longest: BTreeMap<&'static str, Vec<Duration>>,
    /// Descriptions of the times longer than [`LONG`].
    pub(crate) long: Vec<String>,
    /// The longest time outside all faults.
    pub(crate) otherwise: Duration,
}

/// The length of times that are described.
const LONG: Duration = Duration::from_millis(2500);

/// The time after a fault in which a gap is one of the fault's.
const AFTER: Duration = Duration::from_secs(5);

/// Measures the time for which sessions did not answer, from a fault on. Faults of the database count from their end on.
pub(crate) fn sessions(book: &OutcomeBook, windows: &[Window]) -> SessionTimes {
    let mut times = SessionTimes::default();
    for kind in KINDS {
        times.longest.insert(kind.name(), Vec::new());
    }
    let start = |window: &Window| if window.kind.is_of_database() { window.end } else { window.begin };
    for gap in &book.gaps {
        // The fault during which the gap began or ended, otherwise the last one before it.
        let during = windows.iter().rfind(|window| gap.to > window.begin && gap.from < window.end);
        let before =
            || windows.iter().rfind(|window| gap.from >= window.end && gap.from < window.end + AFTER);
        let Some(window) = during.or_else(before) else {
            times.otherwise = times.otherwise.max(gap.to - gap.from);
            continue;
        };
        let length = gap.to.saturating_duration_since(gap.from.max(start(window)));
        times.longest.entry(window.kind.name()).or_default().push(length);
        if length > LONG {
            let Gap { probe, attempts, longest, .. } = gap;
            let since = gap.from.saturating_duration_since(window.begin);
            times.long.push(format!(
                "{length:?} of probe {probe} from {since:?} after the begin of {} that lasted {:?}: {attempts} attempts, the longest {longest:?}",
                window.kind.name(),
                window.end - window.begin
            ));
        }
    }
    for times in times.longest.values_mut() {
        times.sort_unstable();
    }
    times
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replicas::faults::FaultKind;
    use tokio::time::Instant;

    #[test]
    fn a_gap_belongs_to_its_fault_or_to_the_last_one_before() {
        let start = Instant::now();
        let at = |secs| start + Duration::from_secs(secs);
        let window = |kind, begin, end| Window { kind, begin: at(begin), end: at(end) };
        let windows = [window(FaultKind::Kill, 1, 1), window(FaultKind::PauseDatabase, 10, 14)];
        let gap =
            |from, to| Gap { from: at(from), to: at(to), probe: 0, attempts: 1, longest: Duration::ZERO };
        let gaps = vec![gap(0, 3), gap(2, 4), gap(11, 15), gap(30, 37)];
        let times = sessions(&OutcomeBook { gaps, ..OutcomeBook::default() }, &windows);
        let secs =
            |kind: FaultKind| times.longest[kind.name()].iter().map(Duration::as_secs).collect::<Vec<_>>();
        assert_eq!((secs(FaultKind::Kill), secs(FaultKind::PauseDatabase)), (vec![2, 2], vec![1]));
        assert_eq!(times.otherwise.as_secs(), 7);
    }
}
