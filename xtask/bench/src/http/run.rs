//! Runs the contestants against each other.

use super::{
    ours::{self, PATH},
    peer,
    rows::rows,
};
use crate::{
    adder::NAME,
    measure::{Settings, compare, each_its_own, run_within},
    report::Row,
    wire::{Era, HttpCaller},
};
use std::net::SocketAddr;

/// The number of sessions in each load, each on a separate connection.
const LOADS: [(usize, &str); 2] = [(1, "1 caller"), (32, "32 callers")];

/// Runs the bench.
pub(crate) fn run(settings: &Settings) -> Result<Vec<Row>, String> {
    run_within(settings, contests)
}

async fn contests(settings: Settings) -> Result<Vec<Row>, String> {
    let ours = ours::serve().await?;
    let (events, json) = (peer::serve(false).await?, peer::serve(true).await?);
    let mut all = Vec::new();
    for (what, era, peer) in [
        ("sessions", Era::Session, events.address),
        ("2026-07-28", Era::Stateless, events.address),
        ("2026-07-28, rmcp set to JSON", Era::Stateless, json.address),
    ] {
        for (callers, load) in LOADS {
            let contest = contest(&settings, callers, era, [ours.address(), peer]).await?;
            all.extend(rows(&format!("{what}, {load}"), &contest));
        }
    }
    ours.shutdown().await;
    Ok(all)
}

async fn contest(
    settings: &Settings,
    callers: usize,
    era: Era,
    [ours, peer]: [SocketAddr; 2],
) -> Result<crate::measure::Contest, String> {
    let ours = HttpCaller::connect_many(callers, ours, PATH, NAME, era).await?;
    let peer = HttpCaller::connect_many(callers, peer, PATH, NAME, era).await?;
    let calls = settings.calls;
    compare(settings, || each_its_own(ours.clone(), calls), || each_its_own(peer.clone(), calls)).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_answer_every_call_rightly_in_either_era() {
        let settings = Settings { workers: 2, rounds: 1, calls: 64, ..Settings::default() };
        let rows = run(&settings).unwrap();
        assert_eq!(rows.len(), 24);
        assert!(rows.iter().all(|row| row.ours > 0.0 && row.peer > 0.0), "{rows:?}");
    }
}
