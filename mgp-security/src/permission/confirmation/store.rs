//! The store of questions about calls and of their answers.

use super::{ConfirmationKey, ConfirmationRow, ConfirmationState};
use crate::permission::{DecisionError, RecordFuture, ReplacedRows, StoreError};
use async_trait::async_trait;
use jiff::Timestamp;
use mgp_types::json::RawJson;
use std::fmt;

/// A store of questions about calls, and of their answers: one row for each call, and one for each session in which the call is approved.
#[async_trait]
pub trait ConfirmationStore: fmt::Debug + Send + Sync + 'static {
    /// Returns every row. A row that cannot be read is marked as [unreadable](super::ConfirmationState::Unreadable).
    async fn confirmations(&self) -> Result<Vec<ConfirmationRow>, StoreError>;

    /// Returns the row with an id.
    async fn confirmation(&self, id: &str) -> Result<Option<ConfirmationRow>, StoreError>;

    /// Returns the rows in force at a time that may be about a call: those with its key, and those of its agent, its tool and the tool's
    /// definition with a pattern of arguments. Of the rows that hold only in one session, only those of `session` are returned.
    async fn candidates(
        &self,
        key: &ConfirmationKey,
        session: Option<&str>,
        now: Timestamp,
    ) -> Result<Vec<ConfirmationRow>, StoreError>;

    /// Removes an approval of one call. Of several callers, in any number of processes, only one gets `true`.
    async fn spend(&self, id: &str) -> Result<bool, StoreError>;

    /// Removes the rows that have expired by the question's `asked_at`, then stores the question, unless its call has a row already. If
    /// that row is an open question, it keeps its id, and takes over the risk, the reason, the estimate, `every_time` and the session
    /// of the new one.
    async fn ask_confirmation(
        &self,
        row: ConfirmationRow,
        bounds: ConfirmationBounds,
    ) -> Result<AskOutcome, StoreError>;

    /// Stores an answer in the row with its id, and records `event` in between, as
    /// [`PermissionStore::decide`](crate::permission::PermissionStore::decide) does. Any other row of the same key and session is removed.
    /// Returns whether the row existed and `replaces` covers it.
    async fn decide_confirmation(
        &self,
        row: ConfirmationRow,
        replaces: ReplacedRows,
        event: RecordFuture,
    ) -> Result<bool, DecisionError>;

    /// Removes the row with an id, and returns it if it existed and `replaces` covers it.
    async fn remove_confirmation(
        &self,
        id: &str,
        replaces: ReplacedRows,
    ) -> Result<Option<ConfirmationRow>, StoreError>;

    /// Returns a number that changes when another process has changed a row.
    async fn confirmations_version(&self) -> Result<i64, StoreError>;
}

/// A call, for look-ups in a store.
#[derive(Debug, Clone, Copy)]
pub(super) struct AskedCall<'a> {
    pub(super) key: &'a ConfirmationKey,
    pub(super) arguments: &'a RawJson,
    /// The reason for asking.
    pub(super) reason: &'a str,
    /// The name of the call's session.
    pub(super) session: Option<&'a str>,
}

/// Returns the row of a store that decides on a call at a time: a denial before an approval, and an open question last.
pub(super) async fn find(
    store: &dyn ConfirmationStore,
    call: AskedCall<'_>,
    now: Timestamp,
) -> Result<Option<ConfirmationRow>, StoreError> {
    let rows = store.candidates(call.key, call.session, now).await?;
    let about_call = rows.into_iter().filter(|row| row.covers(call.key, call.arguments, call.reason));
    Ok(about_call.min_by_key(ConfirmationRow::precedence))
}

/// Returns the row that [decides](find) on a call. This uses up an approval of one call.
pub(super) async fn take(
    store: &dyn ConfirmationStore,
    call: AskedCall<'_>,
    now: Timestamp,
) -> Result<Option<ConfirmationRow>, StoreError> {
    loop {
        let Some(row) = find(store, call, now).await? else { return Ok(None) };
        // Of several calls that find the same approval, one gets it; the others read again.
        if row.state != ConfirmationState::ApprovedOnce || store.spend(&row.id).await? {
            return Ok(Some(row));
        }
    }
}

/// The bounds of a [`ConfirmationStore`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConfirmationBounds {
    /// The most open questions that one agent may have.
    pub open_per_agent: usize,
    /// The most questions that may be open in all.
    pub open: usize,
    /// The most rows, including answers.
    pub rows: usize,
}

/// The outcome of storing a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AskOutcome {
    /// The row of the call, which may have existed before.
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
    /// Returns the bound that is reached, if any.
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
