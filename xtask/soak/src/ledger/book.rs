//! The counts.

use super::Ticket;
use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicI64, Ordering},
    },
};

/// The counts of one kind of request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) sent: u64,
    pub(crate) once: u64,
    pub(crate) twice: u64,
    pub(crate) lost: u64,
    /// Its host cut it off itself.
    pub(crate) cut: u64,
}

impl Row {
    /// How many requests are neither answered, nor lost, nor cut off. An answer on a stream of another request counts beside
    /// its own.
    pub(crate) fn unaccounted(self) -> u64 {
        self.sent.abs_diff(self.once + self.twice + self.lost + self.cut)
    }
}

/// How a tool call ended for its host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CallEnd {
    /// With a server's result.
    Result,
    /// With an error, or with a result that says so.
    Failed,
    /// The host cut it off, or did not go on with it.
    Cut,
    /// No answer came.
    Lost,
}

/// Everything that was counted.
#[derive(Debug, Default, Clone)]
pub(crate) struct Book {
    pub(crate) rows: BTreeMap<&'static str, Row>,
    /// The answers that were errors, those that never came and those that came twice, by cause.
    pub(crate) causes: BTreeMap<String, u64>,
    /// What was done on purpose.
    pub(crate) faults: BTreeMap<&'static str, u64>,
    /// Tool calls by trace.
    pub(crate) calls: BTreeMap<String, CallEnd>,
}

/// The counts, shared by all hosts. A clone is the same ledger.
#[derive(Debug, Clone, Default)]
pub(crate) struct Ledger(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    book: Mutex<Book>,
    next: AtomicI64,
}

impl Ledger {
    /// A request that is about to be sent. Its id is one that no other request of this run has.
    pub(crate) fn send(&self, kind: &'static str) -> Ticket {
        self.row(kind, |row| row.sent += 1);
        Ticket::new(self.clone(), kind, self.0.next.fetch_add(1, Ordering::Relaxed) + 1)
    }

    /// A trace that no other call of this run has.
    pub(crate) fn trace(&self) -> String {
        format!("{:032x}", self.0.next.fetch_add(1, Ordering::Relaxed) + 1)
    }

    /// How a call ended for its host.
    pub(crate) fn call(&self, trace: String, end: CallEnd) {
        self.lock().calls.insert(trace, end);
    }

    /// Something was done on purpose.
    pub(crate) fn fault(&self, what: &'static str) {
        *self.lock().faults.entry(what).or_default() += 1;
    }

    /// An answer where none was waited for.
    pub(crate) fn stray(&self, kind: &'static str) {
        self.row(kind, |row| row.twice += 1);
        self.cause(format!("twice: an answer on a stream of another request ({kind})"));
    }

    pub(super) fn row(&self, kind: &'static str, change: impl FnOnce(&mut Row)) {
        change(self.lock().rows.entry(kind).or_default());
    }

    pub(super) fn cause(&self, cause: String) {
        *self.lock().causes.entry(cause).or_default() += 1;
    }

    /// The counts by now.
    pub(crate) fn book(&self) -> Book {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Book> {
        self.0.book.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Book {
    /// All kinds together.
    pub(crate) fn sum(&self) -> Row {
        self.rows.values().fold(Row::default(), |sum, row| Row {
            sent: sum.sent + row.sent,
            once: sum.once + row.once,
            twice: sum.twice + row.twice,
            lost: sum.lost + row.lost,
            cut: sum.cut + row.cut,
        })
    }
}
