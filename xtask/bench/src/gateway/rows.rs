//! The rows of the bench.

use super::turns::Measured;
use crate::{
    measure::{Round, Rounds},
    report::{Better, Row},
};

/// Returns the rows of one load. The added time is the time of a call less that of a direct call, which the row names.
pub(super) fn rows(load: &str, measured: &Measured) -> Vec<Row> {
    let Measured { direct, ours, peer } = measured;
    let p50 = |rounds: &Rounds| rounds.median(|round: &Round| round.p50);
    let p99 = |rounds: &Rounds| rounds.median(|round: &Round| round.p99);
    let throughput = |rounds: &Rounds| rounds.median(|round: &Round| round.throughput);
    let bare = p50(direct);
    // A way that was not measured has added nothing.
    let added = |whole: f64| if whole == 0.0 { 0.0 } else { whole - bare };
    vec![
        Row::new(format!("{load}, p50"), "µs", Better::Lower, p50(ours), p50(peer)),
        Row::new(
            format!("  added to direct, {bare:.0} µs"),
            "µs",
            Better::Lower,
            added(p50(ours)),
            added(p50(peer)),
        ),
        Row::new(
            format!("{load}, p99 (direct {:.0})", p99(direct)),
            "µs",
            Better::Lower,
            p99(ours),
            p99(peer),
        ),
        Row::new(
            format!("{load}, throughput (direct {:.0})", throughput(direct)),
            "calls/s",
            Better::Higher,
            throughput(ours),
            throughput(peer),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(p50: f64) -> Rounds {
        let mut rounds = Rounds::default();
        rounds.push(Round { p50, p99: p50 * 2.0, throughput: 1e6 / p50 });
        rounds
    }

    #[test]
    fn what_a_gateway_adds_is_less_what_going_direct_costs() {
        let (direct, ours, peer) = (measured(50.0), measured(100.0), measured(250.0));
        let rows = rows("load", &Measured { direct, ours, peer });
        assert_eq!((rows[1].ours, rows[1].peer, rows[1].ratio), (50.0, 200.0, 4.0));
        assert_eq!(rows[2].case, "load, p99 (direct 100)");
    }

    #[test]
    fn a_gateway_that_is_missing_has_added_nothing_and_makes_no_ratio() {
        let (direct, ours) = (measured(50.0), measured(100.0));
        let rows = rows("load", &Measured { direct, ours, peer: Rounds::default() });
        assert!(rows.iter().all(|row| row.peer == 0.0 && row.ratio == 0.0), "{rows:?}");
    }
}
