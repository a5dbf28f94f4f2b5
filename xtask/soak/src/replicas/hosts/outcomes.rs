//! The answers that the hosts got, for the checks after the run.

use parking_lot::Mutex;
use serde_json::Value;
use std::{collections::BTreeMap, sync::Arc, time::Duration};
use tokio::time::Instant;

/// A transaction that a host began.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Saga {
    /// The number of the worker whose transaction it is.
    pub(crate) worker: usize,
    /// The operations of the steps that were sent, by step.
    pub(crate) steps: BTreeMap<String, String>,
    /// The report after the end; `None` if the host has none.
    pub(crate) report: Option<Value>,
}

/// The calls of an agent with a quota.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct QuotaUse {
    /// Calls with a result.
    pub(crate) accepted: usize,
    /// Calls that may have been carried out.
    pub(crate) unknown: usize,
    /// Calls that were refused because nothing is left.
    pub(crate) refused: usize,
}

/// A time in which a host's session did not answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Gap {
    /// The last answer before it.
    pub(crate) from: Instant,
    /// The first answer after it.
    pub(crate) to: Instant,
    /// The number of the host, and of its attempts.
    pub(crate) probe: usize,
    pub(crate) attempts: usize,
    /// The time of the longest attempt.
    pub(crate) longest: Duration,
}

/// A time without the right to the guarded tool, since the Unix epoch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Revocation {
    /// The acknowledgement.
    pub(crate) from: Duration,
    /// The request that grants the right again; `None` until then.
    pub(crate) until: Option<Duration>,
}

/// The answers that the hosts got.
#[derive(Debug, Clone, Default)]
pub(crate) struct OutcomeBook {
    /// The tool of each operation with a result, and whether it had an idempotency key.
    pub(crate) acknowledged: BTreeMap<String, &'static str>,
    pub(crate) sagas: BTreeMap<String, Saga>,
    pub(crate) spenders: BTreeMap<usize, QuotaUse>,
    /// The times, since the Unix epoch, at which calls of the tool with a limit a minute were begun, by operation.
    pub(crate) rushes: BTreeMap<String, Duration>,
    /// The number of calls that the limit refused.
    pub(crate) limited: usize,
    pub(crate) gaps: Vec<Gap>,
    pub(crate) revocations: Vec<Revocation>,
    /// Sessions that the replicas had forgotten.
    pub(crate) lost_sessions: u64,
    /// Calls with a key that were repeated.
    pub(crate) repeated: u64,
    /// Keys whose call has an unknown outcome.
    pub(crate) unknown_keys: u64,
}

/// The answers that the hosts got. Clones share them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Outcomes(Arc<Mutex<OutcomeBook>>);

impl Outcomes {
    pub(crate) fn change(&self, change: impl FnOnce(&mut OutcomeBook)) {
        change(&mut self.0.lock());
    }

    pub(crate) fn acknowledge(&self, tool: &'static str, operation: &str) {
        self.change(|book| {
            book.acknowledged.insert(operation.to_owned(), tool);
        });
    }

    pub(crate) fn book(&self) -> OutcomeBook {
        self.0.lock().clone()
    }
}
