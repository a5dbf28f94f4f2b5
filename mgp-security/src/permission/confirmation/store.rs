//! The store of questions about calls and of their answers.

use super::{ConfirmationKey, ConfirmationRow};
use crate::permission::{DecisionError, RecordFuture, ReplacedRows, StoreError};
use async_trait::async_trait;
use jiff::Timestamp;
use std::fmt;

/// A store of questions about calls, and of their answers: one row for each call.
#[async_trait]
pub trait ConfirmationStore: fmt::Debug + Send + Sync + 'static {
    /// Returns every row. A row that cannot be read is marked as [unreadable](super::ConfirmationState::Unreadable).
    async fn confirmations(&self) -> Result<Vec<ConfirmationRow>, StoreError>;

    /// Returns the row with an id.
    async fn confirmation(&self, id: &str) -> Result<Option<ConfirmationRow>, StoreError>;

    /// Returns the row of a call that is in force at a time. An approval of one call is removed as it is returned: of several callers, in
    /// any number of processes, only one gets it.
    async fn take_confirmation(
        &self,
        key: &ConfirmationKey,
        now: Timestamp,
    ) -> Result<Option<ConfirmationRow>, StoreError>;

    /// Removes the rows that have expired by the question's `asked_at`, then stores the question, unless its call has a row already. An
    /// open question that is already there keeps its id, and takes over the risk, the reason and `every_time` of the new one.
    async fn ask_confirmation(
        &self,
        row: ConfirmationRow,
        bounds: ConfirmationBounds,
    ) -> Result<AskOutcome, StoreError>;

    /// Stores an answer in the row with its id, and records `event` in between, as
    /// [`PermissionStore::decide`](crate::permission::PermissionStore::decide) does. Returns whether there was such a row that `replaces`
    /// covers.
    async fn decide_confirmation(
        &self,
        row: ConfirmationRow,
        replaces: ReplacedRows,
        event: RecordFuture,
    ) -> Result<bool, DecisionError>;

    /// Removes the row with an id, and returns it if there was one that `replaces` covers.
    async fn remove_confirmation(
        &self,
        id: &str,
        replaces: ReplacedRows,
    ) -> Result<Option<ConfirmationRow>, StoreError>;

    /// Returns a number that changes when another process has changed a row.
    async fn confirmations_version(&self) -> Result<i64, StoreError>;
}

/// The bounds of a [`ConfirmationStore`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConfirmationBounds {
    /// The most open questions that one agent may have.
    pub open_per_agent: usize,
    /// The most questions that may be open in all.
    pub open: usize,
    /// The most rows, answers included.
    pub rows: usize,
}

/// The outcome of storing a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AskOutcome {
    /// The row of the call, which may be one that was there before.
    Row(Box<ConfirmationRow>),
    /// There is no room for another question.
    Full(Bound),
}

/// The bound that leaves no room for a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
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
