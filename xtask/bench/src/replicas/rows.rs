//! The rows of the bench.

use super::{
    fleet,
    storage::{FleetSize, FleetStorage, SqliteStorage, per_event},
    turns::WayRounds,
};
use crate::{
    measure::{Round, Rounds},
    report::{Better, Row},
    wire::Era,
};
use mgp_security::audit::JournalMode;

/// The hosts that call at the same time.
#[derive(Debug, Clone, Copy)]
pub(super) struct Load {
    pub(super) callers: usize,
    pub(super) era: Era,
}

/// The measured rounds through some replicas.
#[derive(Debug)]
pub(super) struct FleetRounds {
    pub(super) journal: JournalMode,
    pub(super) replicas: usize,
    pub(super) measured: WayRounds,
}

impl Load {
    fn name(self) -> String {
        let era = match self.era {
            Era::Session => "sessions",
            Era::Stateless => "2026-07-28",
        };
        format!("{}, {era}", many(self.callers, "caller"))
    }
}

/// Returns the rows of one load. The peer is the gateway with SQLite, except in the row that compares with one replica.
pub(super) fn rows(load: Load, fleets: &[FleetRounds], sqlite: &WayRounds) -> Vec<Row> {
    let p50 = |rounds: &Rounds| rounds.median(|round: &Round| round.p50);
    let p99 = |rounds: &Rounds| rounds.median(|round: &Round| round.p99);
    let throughput = |rounds: &Rounds| rounds.median(|round: &Round| round.throughput);
    let mut rows = Vec::new();
    for FleetRounds { journal, replicas, measured } in fleets {
        let way = format!("{}, {}, {}", load.name(), fleet::name(*journal), many(*replicas, "replica"));
        let busy = format!("(machine {:.0} % busy, SQLite {:.0})", measured.busy(), sqlite.busy());
        let row = |case: String, unit, better, value: &dyn Fn(&Rounds) -> f64, peer: &WayRounds| {
            Row::new(case, unit, better, value(&measured.rounds), value(&peer.rounds))
        };
        rows.extend([
            row(format!("{way}, p50"), "µs", Better::Lower, &p50, sqlite),
            row(format!("{way}, p99"), "µs", Better::Lower, &p99, sqlite),
            row(format!("{way}, throughput {busy}"), "calls/s", Better::Higher, &throughput, sqlite),
        ]);
        if *journal == JournalMode::Local && load.callers > 1 {
            let (copied, calls) = (measured.copied(), throughput(&sqlite.rounds));
            rows.push(Row::new(
                "  until the events are in PostgreSQL",
                "calls/s",
                Better::Higher,
                copied,
                calls,
            ));
        }
        let one = fleets.iter().find(|of| of.journal == *journal && of.replicas == 1);
        if let Some(one) = one.filter(|_| *replicas > 1 && load.callers > 1) {
            let case = "  throughput, versus 1 replica".to_owned();
            rows.push(row(case, "calls/s", Better::Higher, &throughput, &one.measured));
        }
    }
    rows
}

/// Returns the rows of the storage of one event. The peer is the trail of the gateway with SQLite.
pub(super) fn storage_rows(fleet: &FleetStorage, sqlite: &SqliteStorage) -> Vec<Row> {
    let FleetStorage { journal, size, calls, event_length, record_length } = fleet;
    let FleetSize { events, database, trails } = *size;
    let peer = per_event(sqlite.trail, sqlite.calls);
    let row = |case: &str, ours, peer| Row::new(case.to_owned(), "bytes", Better::Lower, ours, peer);
    let case = format!(
        "an event ({event_length:.0} bytes of JSON), {}: PostgreSQL, versus the trail of SQLite",
        fleet::name(*journal)
    );
    let mut rows = vec![
        row(&case, per_event(database, events), peer),
        row("  the trails of the replicas", per_event(trails, events), peer),
        Row::new("  events of a call", "events", Better::Lower, per_event(events, *calls), 1.0),
    ];
    if *journal == JournalMode::Local {
        let case = "  in a journal, until the trail has the event";
        rows.insert(2, row(case, *record_length, sqlite.record_length));
    }
    rows
}

fn many(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(p50: f64) -> WayRounds {
        let (busy, copied) = (vec![70.0, 99.0, 98.0], vec![5e5 / p50]);
        let mut measured = WayRounds { busy, copied, ..WayRounds::default() };
        measured.rounds.push(Round { p50, p99: p50 * 2.0, throughput: 1e6 / p50 });
        measured
    }

    fn fleets() -> Vec<FleetRounds> {
        let of = |journal, replicas, p50| FleetRounds { journal, replicas, measured: measured(p50) };
        vec![
            of(JournalMode::Local, 1, 100.0),
            of(JournalMode::Local, 2, 50.0),
            of(JournalMode::Store, 1, 400.0),
            of(JournalMode::Store, 2, 100.0),
        ]
    }

    #[test]
    fn replicas_are_compared_with_sqlite_and_with_one() {
        let load = Load { callers: 32, era: Era::Stateless };
        let rows = rows(load, &fleets(), &measured(200.0));
        assert_eq!(rows.len(), 16);
        assert_eq!(rows[0].case, "32 callers, 2026-07-28, local, 1 replica, p50");
        assert_eq!((rows[0].ours, rows[0].peer, rows[0].ratio), (100.0, 200.0, 2.0));
        assert_eq!((rows[1].ours, rows[1].peer), (200.0, 400.0));
        assert_eq!((rows[3].case.as_ref(), rows[3].ratio), ("  until the events are in PostgreSQL", 1.0));
        assert_eq!(
            rows[6].case,
            "32 callers, 2026-07-28, local, 2 replicas, throughput (machine 98 % busy, SQLite 98)"
        );
        assert_eq!((rows[6].ratio, rows[8].ratio, rows[14].ratio, rows[15].ratio), (4.0, 2.0, 2.0, 4.0));
        assert_eq!(rows[15].case, "  throughput, versus 1 replica");
    }

    #[test]
    fn a_single_caller_is_not_faster_with_more_replicas() {
        let rows = rows(Load { callers: 1, era: Era::Session }, &fleets(), &measured(200.0));
        assert_eq!(rows.len(), 12);
        assert_eq!(
            rows[11].case.split(" (").next(),
            Some("1 caller, sessions, store, 2 replicas, throughput")
        );
    }

    #[test]
    fn storage_is_divided_by_the_events_of_each_side() {
        let fleet = |journal| FleetStorage {
            journal,
            size: FleetSize { events: 110, database: 132_000, trails: 99_000 },
            calls: 100,
            event_length: 416.4,
            record_length: 500.0,
        };
        let sqlite = SqliteStorage { trail: 80_000, calls: 100, record_length: 510.0 };
        let rows = storage_rows(&fleet(JournalMode::Local), &sqlite);
        let values: Vec<_> = rows.iter().map(|row| (row.ours, row.peer)).collect();
        assert_eq!(values, [(1200.0, 800.0), (900.0, 800.0), (500.0, 510.0), (1.1, 1.0)]);
        assert!(
            rows[0].case.starts_with("an event (416 bytes of JSON), local: PostgreSQL"),
            "{}",
            rows[0].case
        );
        assert_eq!(storage_rows(&fleet(JournalMode::Store), &sqlite).len(), 3);
    }
}
