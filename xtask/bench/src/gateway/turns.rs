//! Three ways to the same server, in turn.

use crate::{
    measure::{Rounds, Settings, Side, each_its_own},
    wire::HttpCaller,
};

/// The callers on each way. A way without callers is left out.
#[derive(Debug)]
pub(super) struct Ways {
    pub(super) direct: Vec<HttpCaller>,
    pub(super) ours: Vec<HttpCaller>,
    pub(super) peer: Vec<HttpCaller>,
}

/// The rounds of each way.
#[derive(Debug, Default)]
pub(super) struct Measured {
    pub(super) direct: Rounds,
    pub(super) ours: Rounds,
    pub(super) peer: Rounds,
}

/// Runs one round on each way to warm up, then the rounds that count.
pub(super) async fn measure(settings: &Settings, ways: &Ways) -> Result<Measured, String> {
    let mut measured = Measured::default();
    for round in 0..=settings.rounds {
        for (callers, side, rounds) in [
            (&ways.direct, None, &mut measured.direct),
            (&ways.ours, Some(Side::Ours), &mut measured.ours),
            (&ways.peer, Some(Side::Peer), &mut measured.peer),
        ] {
            if callers.is_empty() || side.is_some_and(|side| !settings.runs(side)) {
                continue;
            }
            let measured = each_its_own(callers.clone(), settings.calls).await?;
            if round > 0 {
                rounds.push(measured);
            }
        }
    }
    Ok(measured)
}
