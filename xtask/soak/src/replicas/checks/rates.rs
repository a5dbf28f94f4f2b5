//! All replicas together kept the limit of a tool.

use crate::replicas::{
    effects::Effects,
    hosts::OutcomeBook,
    machines::{BURST, CALLS_A_MINUTE},
    tools,
};
use std::time::Duration;

/// The time for which a replica may use calls that it has leased.
const LEASE: Duration = Duration::from_secs(2);
const MINUTE: Duration = Duration::from_secs(60);

/// The calls of the tool with a limit a minute.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct RateCounts {
    pub(crate) passed: usize,
    pub(crate) refused: usize,
    /// The most calls that passed within a minute.
    pub(crate) most: usize,
    pub(crate) problems: Vec<String>,
}

/// A call that passed: when it was begun, and when its tool ran.
type CallTimes = (Duration, Duration);

/// Compares the calls that passed with those that one bucket allows.
pub(crate) fn rates(book: &OutcomeBook, effects: &Effects) -> RateCounts {
    let mut passed: Vec<CallTimes> = Vec::new();
    let mut problems = Vec::new();
    for effect in effects.all().filter(|effect| effect.tool == tools::RUSH) {
        match book.rushes.get(&effect.operation) {
            Some(begun) => passed.push((*begun, effect.at)),
            None => problems.push(format!("{} was called by nobody", effect.operation)),
        }
    }
    let (most, excess) = windows(&mut passed);
    problems.extend(excess);
    if book.limited == 0 || passed.is_empty() {
        let (refused, passed) = (book.limited, passed.len());
        problems
            .push(format!("a limit a minute was not reached: {passed} calls passed, {refused} were refused"));
    }
    RateCounts { passed: passed.len(), refused: book.limited, most, problems }
}

/// Looks at each time from the beginning of a call to the run of a tool. A call that was begun and ran in this time has passed the limit in it.
/// Returns the most calls in a minute, and the time with the largest excess over what is allowed.
fn windows(passed: &mut [CallTimes]) -> (usize, Option<String>) {
    passed.sort_unstable();
    let mut most = 0;
    // The excess, the calls and the time.
    let mut worst: Option<(usize, usize, Duration)> = None;
    // The runs of the tool by calls that were begun at the earliest at a time.
    let mut runs: Vec<Duration> = Vec::with_capacity(passed.len());
    for (begun, at) in passed.iter().rev() {
        runs.insert(runs.partition_point(|run| run < at), *at);
        for (before, run) in runs.iter().enumerate() {
            let (count, time) = (before + 1, run.saturating_sub(*begun));
            if time <= MINUTE {
                most = most.max(count);
            }
            let excess = count.saturating_sub(allowed(time));
            if excess > worst.map_or(0, |(excess, ..)| excess) {
                worst = Some((excess, count, time));
            }
        }
    }
    let shown = |(_, count, time): (usize, usize, Duration)| {
        let allowed = allowed(time);
        format!(
            "{count} calls passed a limit of {CALLS_A_MINUTE} a minute within {time:?}: expected at most {allowed}"
        )
    };
    (most, worst.map(shown))
}

/// Returns the most calls that may pass within a time: those of a bucket in this time and the time of a lease.
fn allowed(time: Duration) -> usize {
    let came_back = (time + LEASE).as_millis() * u128::from(CALLS_A_MINUTE) / MINUTE.as_millis();
    usize::try_from(u128::from(BURST) + came_back).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Write;

    /// Returns what is found of calls that were begun at times in milliseconds, and ran so many milliseconds later.
    fn found(calls: impl Iterator<Item = (u64, u64)>, refused: usize) -> RateCounts {
        let folder = tempfile::tempdir().unwrap();
        let (file, mut text) = (folder.path().join("effects"), String::new());
        let mut book = OutcomeBook { limited: refused, ..OutcomeBook::default() };
        for (number, (begun, later)) in calls.enumerate() {
            let at = Duration::from_millis(begun + later);
            let _ = writeln!(text, "{} rush call{number}", at.as_nanos());
            book.rushes.insert(format!("call{number}"), Duration::from_millis(begun));
        }
        std::fs::write(&file, text).unwrap();
        rates(&book, &Effects::read(&file).unwrap())
    }

    #[test]
    fn calls_of_one_bucket_and_two_seconds_may_pass() {
        // A full bucket and the calls of a lease at once, and then one call in 200 ms.
        let at_once = || (0..30).map(|_| (0, 1));
        let later = |interval: u64| (1..600).map(move |call| (call * interval, 1));
        let kept = found(at_once().chain(later(200)), 1);
        assert_eq!((kept.passed, kept.refused, &*kept.problems), (629, 1, &[][..]));
        assert_eq!(kept.most, 329);
        for exceeding in [found(at_once().chain([(0, 1)]), 1), found(at_once().chain(later(190)), 1)] {
            assert!(exceeding.problems[0].contains("calls passed a limit of 300 a minute"), "{exceeding:?}");
        }
    }

    #[test]
    fn calls_that_ran_late_may_have_passed_before() {
        // They were begun over a minute, and all ran at its end.
        let delayed = (0..300).map(|call| (call * 200, 60_000 - call * 200));
        assert_eq!(found(delayed, 1).problems, [""; 0]);
    }

    #[test]
    fn a_limit_that_refuses_nothing_is_reported() {
        assert!(found([(0, 1)].into_iter(), 0).problems[0].contains("was not reached"));
        assert!(found([].into_iter(), 9).problems[0].contains("was not reached"));
    }
}
