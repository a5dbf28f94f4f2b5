//! The rows of the bench.

use crate::{
    measure::{Contest, Round},
    report::{Better, Row},
};

/// The names of the rows of one load.
#[derive(Debug)]
pub(super) struct Names {
    pub(super) p50: &'static str,
    pub(super) p99: &'static str,
    pub(super) throughput: &'static str,
}

/// The rows of one caller.
pub(super) const SEQUENTIAL: Names =
    Names { p50: "sequential p50", p99: "sequential p99", throughput: "sequential throughput" };

/// The rows of many callers.
pub(super) const CONCURRENT: Names =
    Names { p50: "64 callers p50", p99: "64 callers p99", throughput: "64 callers throughput" };

/// Returns the rows of one load.
pub(super) fn rows(names: &Names, contest: &Contest) -> [Row; 3] {
    let row = |case, unit, better, value: fn(&Round) -> f64| {
        Row::new(case, unit, better, contest.ours.median(value), contest.peer.median(value))
    };
    [
        row(names.p50, "µs", Better::Lower, |round| round.p50),
        row(names.p99, "µs", Better::Lower, |round| round.p99),
        row(names.throughput, "calls/s", Better::Higher, |round| round.throughput),
    ]
}

/// Returns the row of an optional feature of the kernel, such as counting calls. The peer is a kernel without the feature.
pub(super) fn beside_row(what: &str, contest: &Contest) -> Row {
    let p50 = |round: &Round| round.p50;
    Row::new(
        format!("kernel with {what}, null audit, p50, versus one without"),
        "µs",
        Better::Lower,
        contest.ours.median(p50),
        contest.peer.median(p50),
    )
}

/// Returns the rows of calls whose events go to a journal. The peer is a kernel that writes them to SQLite, and in the last row one that
/// makes no events: it shows the most events that its calls could have.
pub(super) fn journal_rows(one: &Contest, crowd: &Contest, silent: &Contest) -> [Row; 3] {
    let (p50, throughput) = (|round: &Round| round.p50, |round: &Round| round.throughput);
    [
        Row::new(
            "kernel, journal, p50, versus SQLite audit",
            "µs",
            Better::Lower,
            one.ours.median(p50),
            one.peer.median(p50),
        ),
        Row::new(
            "kernel, journal, 64 callers, versus SQLite audit",
            "calls/s",
            Better::Higher,
            crowd.ours.median(throughput),
            crowd.peer.median(throughput),
        ),
        Row::new(
            "  versus no audit",
            "calls/s",
            Better::Higher,
            silent.ours.median(throughput),
            silent.peer.median(throughput),
        ),
    ]
}

/// The fewest events in a journal for each event in SQLite, with many writers.
const GOAL_JOURNAL: f64 = 3.0;

/// Returns the rows of events that are stored without calls. Ours go to a journal, and the peer's to SQLite. `moved` is the contest in which
/// a round ends once all events are in SQLite.
pub(super) fn event_rows(one: &Contest, crowd: &Contest, moved: &Contest) -> [Row; 4] {
    let throughput = |round: &Round| round.throughput;
    let row = |case, contest: &Contest| {
        let (ours, peer) = (contest.ours.median(throughput), contest.peer.median(throughput));
        Row::new(case, "events/s", Better::Higher, ours, peer)
    };
    let stored = row("events without calls, 64 writers, journal versus SQLite", crowd);
    let goal = "  events in a journal by those in SQLite, against the goal";
    let goal = Row::new(goal, "x", Better::Higher, stored.ratio, GOAL_JOURNAL);
    [
        row("events without calls, 1 writer, journal versus SQLite", one),
        stored,
        goal,
        row("  until those of the journal are in SQLite too", moved),
    ]
}

/// The most that the kernel's pipeline may add to the median of a call without an audit trail, in microseconds.
const GOAL_ADDED: f64 = 5.0;

/// The most that the pipeline may add, as a share of the median of a bare hop.
const GOAL_SHARE: f64 = 0.6;

/// The fewest calls in a second that the kernel must audit with many callers.
const GOAL_EVENTS: f64 = 50_000.0;

/// Returns the rows of a kernel without an audit trail. The peer is a hop that only forwards, or a goal if the row names one.
pub(super) fn pipeline_rows(what: &str, bare: &str, null: &Contest) -> [Row; 3] {
    let p50 = |round: &Round| round.p50;
    let (through, hop) = (null.ours.median(p50), null.peer.median(p50));
    [
        Row::new(format!("{what}, null audit, p50, versus {bare}"), "µs", Better::Lower, through, hop),
        Row::new("  added by the pipeline, against the goal", "µs", Better::Lower, through - hop, GOAL_ADDED),
        Row::new(
            "  added by the pipeline by a bare hop, against the goal",
            "x",
            Better::Lower,
            (through - hop) / hop,
            GOAL_SHARE,
        ),
    ]
}

/// Returns the rows of calls through the kernel. The peer is a hop that only forwards, or a goal if the row names one.
pub(super) fn kernel_rows(what: &str, null: &Contest, sqlite: &Contest, crowd: &Contest) -> [Row; 6] {
    let [silent, added, share] = pipeline_rows(what, "a bare hop", null);
    let p50 = |round: &Round| round.p50;
    let throughput = |rounds: &crate::measure::Rounds| rounds.median(|round: &Round| round.throughput);
    [
        silent,
        added,
        share,
        Row::new(
            format!("{what}, SQLite audit, p50, versus a bare hop"),
            "µs",
            Better::Lower,
            sqlite.ours.median(p50),
            sqlite.peer.median(p50),
        ),
        Row::new(
            format!("{what}, SQLite audit, 64 callers, versus a bare hop"),
            "calls/s",
            Better::Higher,
            throughput(&crowd.ours),
            throughput(&crowd.peer),
        ),
        Row::new(
            "  events stored, against the goal",
            "events/s",
            Better::Higher,
            throughput(&crowd.ours),
            GOAL_EVENTS,
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contest(ours: f64, peer: f64) -> Contest {
        let mut contest = Contest::default();
        contest.ours.push(Round { p50: 1.0, p99: 1.0, throughput: ours });
        contest.peer.push(Round { p50: 1.0, p99: 1.0, throughput: peer });
        contest
    }

    #[test]
    fn the_journal_s_gain_with_many_writers_has_a_goal() {
        let rows = event_rows(&contest(90.0, 30.0), &contest(300.0, 200.0), &contest(250.0, 200.0));
        let values: Vec<_> = rows.iter().map(|row| (row.ours, row.peer, row.ratio)).collect();
        assert_eq!(values, [(90.0, 30.0, 3.0), (300.0, 200.0, 1.5), (1.5, 3.0, 0.5), (250.0, 200.0, 1.25)]);
    }
}
