//! The rows of the bench.

use crate::{
    measure::{Contest, Round},
    report::{Better, Row},
};

/// The goal: our calls in a second, as a multiple of rmcp's.
const GOAL: f64 = 1.5;

/// Returns the rows of one load: latency, throughput, and throughput against the goal.
pub(super) fn rows(load: &str, contest: &Contest) -> Vec<Row> {
    let row = |what: &str, unit, better, value: fn(&Round) -> f64| {
        let (ours, peer) = (contest.ours.median(value), contest.peer.median(value));
        Row::new(format!("{load}, {what}"), unit, better, ours, peer)
    };
    let throughput = row("throughput", "calls/s", Better::Higher, |round| round.throughput);
    let goal =
        Row::new("  throughput by rmcp's, against the goal", "x", Better::Higher, throughput.ratio, GOAL);
    vec![
        row("p50", "µs", Better::Lower, |round| round.p50),
        row("p99", "µs", Better::Lower, |round| round.p99),
        throughput,
        goal,
    ]
}
