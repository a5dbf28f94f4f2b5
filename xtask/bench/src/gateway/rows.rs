//! The rows of the bench.

use super::{peers::PEERS, turns::RoundSet};
use crate::{
    measure::{Round, Rounds},
    report::{Better, Row},
};

/// Returns the rows of one load. The peers' column is the first gateway of the list; each further gateway has separate rows that name it.
pub(super) fn rows(load: &str, measured: &RoundSet) -> Vec<Row> {
    let RoundSet { direct, ours, peers } = measured;
    let p50 = |rounds: &Rounds| rounds.median(|round: &Round| round.p50);
    let p99 = |rounds: &Rounds| rounds.median(|round: &Round| round.p99);
    let throughput = |rounds: &Rounds| rounds.median(|round: &Round| round.throughput);
    let none = Rounds::default();
    let (first, others): (Vec<_>, Vec<_>) = peers.iter().partition(|(peer, _)| std::ptr::eq(*peer, PEERS[0]));
    let peer = first.first().map_or(&none, |(_, rounds)| rounds);
    let bare = p50(direct);
    // A path that was not measured has added nothing.
    let added = |whole: f64| if whole == 0.0 { 0.0 } else { whole - bare };
    let row = |case: String, unit, better, of: &dyn Fn(&Rounds) -> f64, peer: &Rounds| {
        Row::new(case, unit, better, of(ours), of(peer))
    };
    let mut rows = vec![
        row(format!("{load}, p50"), "µs", Better::Lower, &p50, peer),
        row(
            format!("  added to direct, {bare:.0} µs"),
            "µs",
            Better::Lower,
            &|rounds| added(p50(rounds)),
            peer,
        ),
        row(format!("{load}, p99 (direct {:.0})", p99(direct)), "µs", Better::Lower, &p99, peer),
        row(
            format!("{load}, throughput (direct {:.0})", throughput(direct)),
            "calls/s",
            Better::Higher,
            &throughput,
            peer,
        ),
    ];
    for (peer, rounds) in others {
        rows.push(row(format!("  p50, versus {}", peer.name), "µs", Better::Lower, &p50, rounds));
        rows.push(row(format!("  p99, versus {}", peer.name), "µs", Better::Lower, &p99, rounds));
        let case = format!("  throughput, versus {}", peer.name);
        rows.push(row(case, "calls/s", Better::Higher, &throughput, rounds));
    }
    rows
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
    fn a_gateway_s_cost_excludes_the_direct_call() {
        let (direct, ours) = (measured(50.0), measured(100.0));
        let peers = vec![(PEERS[0], measured(250.0)), (PEERS[1], measured(400.0))];
        let rows = rows("load", &RoundSet { direct, ours, peers });
        assert_eq!((rows[1].ours, rows[1].peer, rows[1].ratio), (50.0, 200.0, 4.0));
        assert_eq!(rows[2].case, "load, p99 (direct 100)");
        assert_eq!((rows.len(), rows[4].peer, rows[6].ratio), (7, 400.0, 4.0));
        assert!(rows[4].case.ends_with(PEERS[1].name));
    }

    #[test]
    fn a_missing_gateway_has_no_cost_and_no_ratio() {
        let (direct, ours) = (measured(50.0), measured(100.0));
        let rows = rows("load", &RoundSet { direct, ours, peers: Vec::new() });
        assert!(rows.iter().all(|row| row.peer == 0.0 && row.ratio == 0.0), "{rows:?}");
    }
}
