//! The rows of the measured values.

use super::measured::{Ours, Peer, Times};
use crate::report::{Better, Row};

/// Returns the rows of one size. If the peer has no such value, its column is 0.
pub(super) fn rows(size: usize, ours: Option<&Ours>, peer: Option<&Peer>) -> Vec<Row> {
    let (o, p) = (|of: fn(&Ours) -> f64| ours.map_or(0.0, of), |of: fn(&Peer) -> f64| peer.map_or(0.0, of));
    let row = |what: &str, unit, ours, peer| {
        Row::new(format!("{size} tools, {what}"), unit, Better::Lower, ours, peer)
    };
    let mut rows = vec![
        row("build", "ms", o(|ours| ours.build_ms), p(|peer| peer.build_ms)),
        row("memory a tool beyond its JSON", "KiB", o(|ours| ours.kib_a_tool), p(|peer| peer.kib_a_tool)),
    ];
    rows.push(row("keyword p50", "µs", o(|ours| ours.keyword.p50), p(|peer| peer.p50)));
    rows.push(row("keyword p99", "µs", o(|ours| ours.keyword.p99), p(|peer| peer.p99)));
    let Some(ours) = ours else { return rows };
    let mut times = |what: &str, times: &Times| {
        rows.push(row(&format!("{what} p50"), "µs", times.p50, 0.0));
        rows.push(row(&format!("{what} p99"), "µs", times.p99, 0.0));
    };
    times("static hybrid", &ours.hybrid);
    if let Some(model) = &ours.model {
        times("fastembed hybrid without the query's embedding", &model.hybrid);
        times("fastembed, the query's embedding", &model.embedding);
        rows.push(row("start with a warm cache, fastembed", "ms", model.warm_start_ms, 0.0));
    }
    rows.push(row("changes of a server meanwhile", "1/s", ours.changes_a_second, 0.0));
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_the_peer_or_the_model_the_other_rows_are_there() {
        let times = Times { p50: 100.0, p99: 300.0 };
        let ours = Ours {
            build_ms: 1.0,
            kib_a_tool: 2.0,
            keyword: times,
            hybrid: times,
            changes_a_second: 5.0,
            model: None,
        };
        let alone = rows(10, Some(&ours), None);
        assert_eq!(alone.len(), 7);
        assert!(alone.iter().all(|row| row.peer == 0.0 && row.ratio == 0.0));
        let peer = Peer { build_ms: 3.0, kib_a_tool: 1.0, p50: 150.0, p99: 400.0 };
        let both = rows(10, Some(&ours), Some(&peer));
        let keyword = both.iter().find(|row| row.case == "10 tools, keyword p50").unwrap();
        assert_eq!((keyword.ours, keyword.peer, keyword.ratio), (100.0, 150.0, 1.5));
        assert_eq!(rows(10, None, Some(&peer)).len(), 4);
    }
}
