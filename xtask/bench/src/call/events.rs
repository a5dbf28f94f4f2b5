//! Events that are stored without calls: the bound that the store itself sets.

use crate::measure::{Caller, Round, all_at_once};
use mgp_security::audit::{AuditLog, AuditLogConfig, AuditSink, EventDraft, JournalMode};
use mgp_types::{audit::AuditEventType, context::Principal};
use std::{
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};
use tempfile::TempDir;

/// Writers that store events one after the other, each as a call through the kernel does at its end.
#[derive(Debug, Clone)]
pub(super) struct EventWriter {
    log: AuditLog,
    _folder: Arc<TempDir>,
}

impl EventWriter {
    /// Opens a new trail.
    pub(super) fn open(journal: JournalMode) -> Result<Self, String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let log = open_log(folder.path(), journal)?;
        Ok(Self { log, _folder: Arc::new(folder) })
    }

    /// Runs a round. Events that are only in a journal are moved after it, so that the next round does not pay for it.
    pub(super) async fn stored(self, writers: usize, events: usize) -> Result<Round, String> {
        self.round(writers, events).await.map(|(round, _)| round)
    }

    /// Runs a round whose throughput includes the time until all events are in SQLite.
    pub(super) async fn moved(self, writers: usize, events: usize) -> Result<Round, String> {
        let (round, whole) = self.round(writers, events).await?;
        Ok(with_throughput(round, writers * events.div_ceil(writers.max(1)), whole))
    }

    /// Runs a round, and moves its events into SQLite. Returns the time of both.
    async fn round(self, writers: usize, events: usize) -> Result<(Round, Duration), String> {
        let (log, began) = (self.log.clone(), Instant::now());
        let round = all_at_once(self, writers, events).await?;
        log.flush().await.map_err(|error| error.to_string())?;
        Ok((round, began.elapsed()))
    }
}

impl Caller for EventWriter {
    async fn call(&self, _: i64) -> Result<(), String> {
        let event = EventDraft::new(AuditEventType::ToolExecuted, &Principal::agent(super::kernel::AGENT))
            .server("adder")
            .tool("add")
            .detail("risk_level", "moderate")
            .detail("duration_ms", &0)
            .detail("attempts", &1);
        self.log.record(event.finish()).await.map_err(|error| error.to_string())
    }
}

/// Opens a trail in a folder.
pub(super) fn open_log(folder: &Path, journal: JournalMode) -> Result<AuditLog, String> {
    let config = AuditLogConfig { journal, ..AuditLogConfig::default() };
    AuditLog::open(folder.join("audit.sqlite3"), &config).map_err(|error| error.to_string())
}

#[expect(clippy::cast_precision_loss, reason = "counts of events are far below 2^52")]
fn with_throughput(round: Round, events: usize, whole: Duration) -> Round {
    Round { throughput: events as f64 / whole.as_secs_f64(), ..round }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_throughput_includes_the_time_until_events_are_moved() {
        let round = Round { p50: 5.0, p99: 9.0, throughput: 100_000.0 };
        let moved = with_throughput(round, 100, Duration::from_millis(4));
        assert_eq!(moved, Round { throughput: 25_000.0, ..round });
    }

    #[tokio::test]
    async fn every_event_of_a_round_is_in_the_trail() {
        for journal in [JournalMode::Local, JournalMode::Store] {
            let writer = EventWriter::open(journal).unwrap();
            writer.clone().stored(4, 18).await.unwrap();
            writer.clone().moved(4, 18).await.unwrap();
            let verification = writer.log.verify(None).await.unwrap();
            assert_eq!(verification.events, 40, "{verification:?}");
        }
    }
}
