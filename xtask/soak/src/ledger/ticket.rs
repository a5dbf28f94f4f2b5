//! One request, from its sending to its outcome.

use super::Ledger;

/// One request. A ticket that is dropped without an outcome counts as lost.
#[derive(Debug)]
pub(crate) struct Ticket {
    ledger: Ledger,
    kind: &'static str,
    id: i64,
    is_open: bool,
}

/// The answer to a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Answer {
    Result,
    /// An error, by its cause.
    Error(String),
}

impl Ticket {
    pub(super) fn new(ledger: Ledger, kind: &'static str, id: i64) -> Self {
        Self { ledger, kind, id, is_open: true }
    }

    /// Returns the request's id on the wire.
    pub(crate) fn id(&self) -> i64 {
        self.id
    }

    pub(crate) fn answered(mut self, answer: Answer, times: usize) {
        self.is_open = false;
        if times > 1 {
            self.ledger.row(self.kind, |row| row.twice += 1);
            return self.ledger.cause(format!("twice: {times} answers on one stream ({})", self.kind));
        }
        self.ledger.row(self.kind, |row| row.once += 1);
        if let Answer::Error(cause) = answer {
            self.ledger.cause(cause);
        }
    }

    /// Counts the request as lost, for this reason.
    pub(crate) fn lost(mut self, why: &str) {
        self.is_open = false;
        self.count_lost(why);
    }

    /// Counts the request as cut off by its host.
    pub(crate) fn cut(mut self) {
        self.is_open = false;
        self.ledger.row(self.kind, |row| row.cut += 1);
    }

    fn count_lost(&self, why: &str) {
        self.ledger.row(self.kind, |row| row.lost += 1);
        self.ledger.cause(format!("lost: {why} ({})", self.kind));
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        if self.is_open {
            self.count_lost("its host ended first");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::Row;

    #[test]
    fn every_request_counts_once_whatever_becomes_of_it() {
        let ledger = Ledger::default();
        let [once, twice, lost, cut, dropped] = [(); 5].map(|()| ledger.send("echo"));
        assert_ne!(once.id(), twice.id());
        once.answered(Answer::Result, 1);
        twice.answered(Answer::Result, 2);
        lost.lost("silence");
        cut.cut();
        drop(dropped);
        let sum = ledger.book().sum();
        assert_eq!(sum, Row { sent: 5, once: 1, twice: 1, lost: 2, cut: 1 });
    }
}
