//! The bounds of the questions about calls.

use super::ConfirmationRow;

/// The bounds of the questions about calls, and of their answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ConfirmationBounds {
    /// The most open questions that one agent may have.
    pub open_per_agent: usize,
    /// The most questions that may be open in all.
    pub open: usize,
    /// The most rows, answers included.
    pub rows: usize,
}

/// The outcome of storing a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum AskOutcome {
    /// The row of the call, which may be one that was there before.
    Row(Box<ConfirmationRow>),
    /// There is no room for another question.
    Full(Bound),
}

/// The bound that leaves no room for a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bound {
    /// The agent has this many open questions.
    OpenOfAgent(usize),
    /// This many questions are open.
    Open(usize),
    /// This many rows are kept.
    Rows(usize),
}

impl ConfirmationBounds {
    /// Returns the bound that is reached, if there is one.
    pub(super) fn reached(&self, open_of_agent: usize, open: usize, rows: usize) -> Option<Bound> {
        if open_of_agent >= self.open_per_agent {
            Some(Bound::OpenOfAgent(open_of_agent))
        } else if open >= self.open {
            Some(Bound::Open(open))
        } else {
            (rows >= self.rows).then_some(Bound::Rows(rows))
        }
    }
}

impl Default for ConfirmationBounds {
    fn default() -> Self {
        Self { open_per_agent: 32, open: 256, rows: 4096 }
    }
}
