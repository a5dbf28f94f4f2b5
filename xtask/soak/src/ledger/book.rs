//! The counts.

use super::{Ticket, Trace};
use parking_lot::Mutex;
use std::{
    collections::BTreeMap,
    sync::{
        Arc,
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
    /// Requests that their own host cut off.
    pub(crate) cut: u64,
}

impl Row {
    /// Returns the number of requests that were neither answered, nor lost, nor cut off. An answer on the stream of another request
    /// counts in addition to the request's own.
    pub(crate) fn unaccounted(self) -> u64 {
        self.sent.abs_diff(self.once + self.twice + self.lost + self.cut)
    }
}

/// The end of a tool call for its host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CallEnd {
    /// A server's result.
    Result,
    /// An error, or a result with a failure of the tool.
    Failed,
    /// The host cut the call off, or did not continue it.
    Cut,
    /// No answer came.
    Lost,
}

/// All counts.
#[derive(Debug, Default, Clone)]
pub(crate) struct Book {
    pub(crate) rows: BTreeMap<&'static str, Row>,
    /// The errors, missing answers and duplicate answers, by cause.
    pub(crate) causes: BTreeMap<String, u64>,
    /// The faults that were injected, by name.
    pub(crate) faults: BTreeMap<&'static str, u64>,
    /// Things that must never happen, with their counts.
    pub(crate) wrong: BTreeMap<String, u64>,
    /// Tool calls by trace.
    pub(crate) calls: BTreeMap<Trace, CallEnd>,
}

/// The counts, shared by all hosts. Clones share the ledger.
#[derive(Debug, Clone, Default)]
pub(crate) struct Ledger(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    book: Mutex<Book>,
    next: AtomicI64,
}

impl Ledger {
    /// Counts a request before it is sent, and returns its ticket with an id that is unique in this run.
    pub(crate) fn send(&self, kind: &'static str) -> Ticket {
        self.row(kind, |row| row.sent += 1);
        Ticket::new(self.clone(), kind, self.0.next.fetch_add(1, Ordering::Relaxed) + 1)
    }

    /// Returns a trace that is unique in this run.
    pub(crate) fn trace(&self) -> Trace {
        Trace::new(self.0.next.fetch_add(1, Ordering::Relaxed).unsigned_abs() + 1)
    }

    /// Records the end of a call.
    pub(crate) fn call(&self, trace: Trace, end: CallEnd) {
        self.0.book.lock().calls.insert(trace, end);
    }

    /// Counts a fault that was injected.
    pub(crate) fn fault(&self, what: &'static str) {
        self.faults(what, 1);
    }

    /// Counts faults that were injected.
    pub(crate) fn faults(&self, what: &'static str, count: u64) {
        *self.0.book.lock().faults.entry(what).or_default() += count;
    }

    /// Counts something that must never happen.
    pub(crate) fn wrong(&self, what: String) {
        *self.0.book.lock().wrong.entry(what).or_default() += 1;
    }

    /// Counts an answer that no request waits for.
    pub(crate) fn stray(&self, kind: &'static str) {
        self.row(kind, |row| row.twice += 1);
        self.cause(format!("twice: an answer on a stream of another request ({kind})"));
    }

    pub(super) fn row(&self, kind: &'static str, change: impl FnOnce(&mut Row)) {
        change(self.0.book.lock().rows.entry(kind).or_default());
    }

    pub(super) fn cause(&self, cause: String) {
        *self.0.book.lock().causes.entry(cause).or_default() += 1;
    }

    /// Returns the counts so far.
    pub(crate) fn book(&self) -> Book {
        self.0.book.lock().clone()
    }
}

impl Book {
    /// Returns the sum over all kinds of requests.
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
