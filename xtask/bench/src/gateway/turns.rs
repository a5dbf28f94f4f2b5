//! The paths to the same server, in turn.

use super::{
    peers::Peer,
    process::{Process, settle},
};
use crate::{
    measure::{Rounds, Settings, Side, each_its_own},
    wire::HttpCaller,
};

/// The fewest calls of a slow gateway in one round.
const FEWEST: usize = 200;

/// The callers on each path. A path without callers is left out.
#[derive(Debug)]
pub(super) struct Ways<'a> {
    /// The gateways.
    pub(super) programs: Vec<&'a Process>,
    pub(super) direct: Vec<HttpCaller>,
    pub(super) ours: Vec<HttpCaller>,
    pub(super) peers: Vec<(&'static Peer, Vec<HttpCaller>)>,
}

/// The rounds of each path.
#[derive(Debug, Default)]
pub(super) struct RoundSet {
    pub(super) direct: Rounds,
    pub(super) ours: Rounds,
    pub(super) peers: Vec<(&'static Peer, Rounds)>,
}

/// Runs one round on each path to warm up, then the rounds that count.
pub(super) async fn measure(settings: &Settings, ways: &Ways<'_>) -> Result<RoundSet, String> {
    let mut measured = RoundSet {
        peers: ways.peers.iter().map(|(peer, _)| (*peer, Rounds::default())).collect(),
        ..RoundSet::default()
    };
    for round in 0..=settings.rounds {
        let direct = [("direct", &ways.direct, None, 1, &mut measured.direct)];
        let ours = [("mgp", &ways.ours, Some(Side::Ours), 1, &mut measured.ours)];
        let peers = ways.peers.iter().zip(&mut measured.peers);
        let peers = peers.map(|((peer, callers), (_, rounds))| {
            (peer.name, callers, Some(Side::Peer), peer.slower, rounds)
        });
        for (name, callers, side, slower, rounds) in direct.into_iter().chain(ours).chain(peers) {
            if callers.is_empty() || side.is_some_and(|side| !settings.runs(side)) {
                continue;
            }
            let calls = (settings.calls / slower).max(FEWEST.min(settings.calls));
            settle(&ways.programs).await;
            let measured = each_its_own(callers.clone(), calls).await;
            let measured = measured.map_err(|error| format!("{name}: {error}"))?;
            if round > 0 {
                rounds.push(measured);
            }
        }
    }
    Ok(measured)
}
