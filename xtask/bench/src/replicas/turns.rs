//! The rounds of each way to the server, in turn.

use super::{caller::RotatingCaller, fleet::Fleet};
use crate::measure::{ProcessorTime, Rounds, Settings, Side, each_its_own, median};
use mgp_security::audit::JournalMode;
use std::time::{Duration, Instant};

/// The fewest calls of one round.
const FEWEST: usize = 200;

/// A way to the server: through the gateway with SQLite, or through some replicas of a fleet.
#[derive(Debug)]
pub(super) struct Way<'a> {
    /// The fleet; `None` for the gateway with SQLite.
    pub(super) fleet: Option<&'a Fleet>,
    pub(super) callers: Vec<RotatingCaller>,
}

/// The measured rounds of one way.
#[derive(Debug, Default)]
pub(super) struct WayRounds {
    pub(super) rounds: Rounds,
    /// The busy share of the machine in each round, in percent.
    pub(super) busy: Vec<f64>,
    /// The events a second of each round until all are in the database; empty without a database.
    pub(super) copied: Vec<f64>,
    /// The number of all calls, with those of the first round.
    pub(super) calls: i64,
}

impl WayRounds {
    /// Returns the median of the busy share of the machine, in percent.
    pub(super) fn busy(&self) -> f64 {
        median(self.busy.clone())
    }

    /// Returns the median of the events a second that reached the database.
    pub(super) fn copied(&self) -> f64 {
        median(self.copied.clone())
    }
}

/// Runs one round on each way to warm up, then the rounds that count. The next round begins once the events of a fleet are in its database, so
/// that no way pays for the copies of another.
pub(super) async fn measure(settings: &Settings, ways: &[Way<'_>]) -> Result<Vec<WayRounds>, String> {
    let mut all: Vec<WayRounds> = ways.iter().map(|_| WayRounds::default()).collect();
    for round in 0..=settings.rounds {
        for (way, measured) in ways.iter().zip(&mut all) {
            let side = if way.fleet.is_some() { Side::Ours } else { Side::Peer };
            if settings.runs(side) {
                way.run(settings.calls, round > 0, measured).await?;
            }
        }
    }
    Ok(all)
}

impl Way<'_> {
    async fn run(&self, calls: usize, counts: bool, measured: &mut WayRounds) -> Result<(), String> {
        let callers = self.callers.len();
        let each = calls_of(calls, callers, self.fleet.map(|fleet| fleet.journal)).div_ceil(callers);
        let made = i64::try_from(callers * each).map_err(|error| error.to_string())?;
        let before = match self.fleet {
            Some(fleet) => fleet.database.events().await?,
            None => 0,
        };
        let (began, processors) = (Instant::now(), ProcessorTime::now());
        let round = each_its_own(self.callers.clone(), callers * each).await?;
        let busy = ProcessorTime::now().busy_since(processors);
        let mut copied = None;
        if let Some(fleet) = self.fleet {
            fleet.database.has(before + made).await?;
            copied = Some(a_second(callers * each, began.elapsed()));
        }
        measured.calls += made;
        if counts {
            measured.rounds.push(round);
            measured.busy.push(busy);
            measured.copied.extend(copied);
        }
        Ok(())
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of calls are far below 2^52")]
fn a_second(events: usize, time: Duration) -> f64 {
    events as f64 / time.as_secs_f64()
}

/// Returns the number of calls of one round. A single caller makes fewer, and still fewer if each call waits for the database.
fn calls_of(calls: usize, callers: usize, journal: Option<JournalMode>) -> usize {
    let fewer = match (callers, journal) {
        (1, Some(JournalMode::Store)) => 20,
        (1, _) => 4,
        _ => 1,
    };
    (calls / fewer).max(FEWEST.min(calls))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_way_gets_fewer_calls_but_enough() {
        let store = Some(JournalMode::Store);
        let calls = |calls, callers| [None, store].map(|journal| calls_of(calls, callers, journal));
        assert_eq!((calls(8000, 32), calls(8000, 1)), ([8000, 8000], [2000, 400]));
        assert_eq!((calls(1000, 1), calls(7, 1)), ([250, 200], [7, 7]));
    }
}
