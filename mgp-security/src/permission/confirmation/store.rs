//! The store of questions about calls and of their answers.

use super::{ConfirmationKey, ConfirmationRow};
use crate::{
    follow::StoreError,
    permission::{DecisionError, Recording, Replaces},
};
use async_trait::async_trait;
use jiff::Timestamp;
use std::fmt;

/// A store of questions about calls, and of their answers: one row for each call.
#[async_trait]
pub trait ConfirmationStore: fmt::Debug + Send + Sync + 'static {
    /// Returns every row; one that cannot be read as [unreadable](super::ConfirmationState::Unreadable).
    async fn confirmations(&self) -> Result<Vec<ConfirmationRow>, StoreError>;

    /// Returns the row of an id.
    async fn confirmation(&self, id: &str) -> Result<Option<ConfirmationRow>, StoreError>;

    /// Returns the row of a call that holds at a time. An approval of one call is taken out with it: of several callers, in however
    /// many processes, one gets it.
    async fn take_confirmation(
        &self,
        key: &ConfirmationKey,
        now: Timestamp,
    ) -> Result<Option<ConfirmationRow>, StoreError>;

    /// Keeps a question where its call has no row, once rows that have expired by its `asked_at` are taken out. An open question that
    /// is there keeps its id, and takes over what the new one says of the tool: its risk, the reason, and whether every call is asked
    /// about.
    async fn ask_confirmation(
        &self,
        row: ConfirmationRow,
        bounds: ConfirmationBounds,
    ) -> Result<AskOutcome, StoreError>;

    /// Keeps an answer on the row of its id, and records `event` in between, as
    /// [`PermissionStore::decide`](crate::permission::PermissionStore::decide) does. Returns whether there was such a row that gave
    /// way.
    async fn decide_confirmation(
        &self,
        row: ConfirmationRow,
        replaces: Replaces,
        event: Recording,
    ) -> Result<bool, DecisionError>;

    /// Takes out the row of an id and returns it, where there was one that `replaces` names.
    async fn remove_confirmation(
        &self,
        id: &str,
        replaces: Replaces,
    ) -> Result<Option<ConfirmationRow>, StoreError>;

    /// Returns a number that is another one when another process has changed a row.
    async fn confirmations_version(&self) -> Result<i64, StoreError>;
}

/// The bounds of a [`ConfirmationStore`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConfirmationBounds {
    /// The number of open questions that one agent may have.
    pub open_per_agent: usize,
    /// The number of questions that may be open in all.
    pub open: usize,
    /// The number of rows that there may be, answers included.
    pub rows: usize,
}

/// The outcome of keeping a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AskOutcome {
    /// The row that the call has, which may be one that was there before.
    Row(Box<ConfirmationRow>),
    /// There is no room for another question.
    Full(Bound),
}

/// The bound that leaves no room for a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// So many questions of the agent are open.
    OpenOfAgent(usize),
    /// So many questions are open.
    Open(usize),
    /// So many rows are kept.
    Rows(usize),
}

impl ConfirmationBounds {
    /// Returns the bound that is reached, where one is.
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
