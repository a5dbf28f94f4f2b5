//! The trait of task stores.

use super::{StoredTask, TaskOwner};
use futures_util::future::BoxFuture;
use jiff::Timestamp;
use mgp_types::{error::ErrorCode, rpc::ErrorObject};
use std::fmt;

/// A store of tasks. The default is [`MemoryTaskStore`](super::MemoryTaskStore).
/// [`Server::task_store`](crate::Server::task_store) sets another, for example one that several instances share.
///
/// The work itself stays in the process that began it: a store keeps only the state that clients see. Only that process changes a
/// running task, except to cancel it, and removes the task when its time has expired.
pub trait TaskStore: fmt::Debug + Send + Sync + 'static {
    /// Stores a new task. The client is informed of the task once the returned future resolves, and must be able to find it from
    /// then on.
    ///
    /// # Errors
    /// Returns [`TaskStoreError::Full`] if the owner has too many tasks, or if all owners have too many in total.
    fn create(&self, task: StoredTask) -> BoxFuture<'_, Result<(), TaskStoreError>>;

    /// Stores the current state of a task. A removed task must not reappear, and an ended task must not change.
    ///
    /// # Errors
    /// Returns [`TaskStoreError::Failed`]; clients of this process still see the current state of the task.
    fn update(&self, task: StoredTask) -> BoxFuture<'_, Result<(), TaskStoreError>>;

    /// Returns the task with an id.
    ///
    /// # Errors
    /// Returns [`TaskStoreError::Failed`] if the store cannot be reached.
    fn get<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<StoredTask>, TaskStoreError>>;

    /// Returns at most `most` of the tasks that an owner [sees](TaskOwner::sees), ordered by creation time and then by id. If a
    /// time and an id are given, returns only the tasks after them.
    ///
    /// # Errors
    /// Returns [`TaskStoreError::Failed`] if the store cannot be reached.
    fn list<'a>(
        &'a self,
        owner: &'a TaskOwner,
        after: Option<(Timestamp, &'a str)>,
        most: usize,
    ) -> BoxFuture<'a, Result<Vec<StoredTask>, TaskStoreError>>;

    /// Removes a task.
    ///
    /// # Errors
    /// Returns [`TaskStoreError::Failed`] if the store cannot be reached.
    fn remove<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<(), TaskStoreError>>;
}

/// The error of a store that cannot keep or find a task.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TaskStoreError {
    /// The store has no room for another task.
    #[error("too many tasks: {limit} {what} are kept")]
    Full {
        /// The kind of tasks that exceeds its limit.
        what: &'static str,
        /// The most tasks of this kind that are kept.
        limit: usize,
    },
    /// The store failed.
    #[error("failed to reach the tasks: {0}")]
    Failed(String),
}

impl From<TaskStoreError> for ErrorObject {
    fn from(error: TaskStoreError) -> Self {
        match &error {
            TaskStoreError::Full { .. } => ErrorCode::ResourceExhausted.error(error.to_string()),
            TaskStoreError::Failed(_) => {
                tracing::error!(%error, "the store of tasks failed");
                Self::internal("internal error: failed to reach the tasks")
            }
        }
    }
}
