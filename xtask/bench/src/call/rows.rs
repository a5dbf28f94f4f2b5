//! The rows of the bench.

use crate::{
    measure::{Contest, Round},
    report::{Better, Row},
};

/// The names of one load's rows.
#[derive(Debug)]
pub(super) struct Names {
    pub(super) p50: &'static str,
    pub(super) p99: &'static str,
    pub(super) throughput: &'static str,
}

/// One caller.
pub(super) const SEQUENTIAL: Names =
    Names { p50: "sequential p50", p99: "sequential p99", throughput: "sequential throughput" };

/// Many callers.
pub(super) const CONCURRENT: Names =
    Names { p50: "64 callers p50", p99: "64 callers p99", throughput: "64 callers throughput" };

/// The rows of one load.
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
