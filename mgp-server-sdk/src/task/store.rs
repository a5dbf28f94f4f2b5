//! Where tasks are kept.

use super::{StoredTask, TaskOwner};
use futures_util::future::BoxFuture;
use jiff::Timestamp;
use std::fmt;

/// Where tasks are kept. [`MemoryTaskStore`](super::MemoryTaskStore) is one; give a server another with
/// [`Server::task_store`](crate::Server::task_store), such as one that several instances share.
///
/// Work itself stays in the process that began it: a store keeps what clients are told of it. Only that process changes a task
/// that runs, but for cancelling, and takes it out when its time is over.
pub trait TaskStore: fmt::Debug + Send + Sync + 'static {
    /// Keeps a new task. Its client is told of it once this has ended, and it must be found from then on.
    ///
    /// # Errors
    /// [`TaskStoreError::Full`] where its owner, or all together, have too many.
    fn create(&self, task: StoredTask) -> BoxFuture<'_, Result<(), TaskStoreError>>;

    /// Keeps what a task is now. One that is not kept any more stays away, and one that has ended stays as it is.
    ///
    /// # Errors
    /// [`TaskStoreError::Failed`]; clients of this process still see what the task is now.
    fn update(&self, task: StoredTask) -> BoxFuture<'_, Result<(), TaskStoreError>>;

    /// The task with an id.
    ///
    /// # Errors
    /// [`TaskStoreError::Failed`].
    fn get<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<StoredTask>, TaskStoreError>>;

    /// At most `most` of the tasks that an owner [sees](TaskOwner::sees), in the order in which they were made, and by their ids where
    /// that is the same; those after a time and an id, where these are given.
    ///
    /// # Errors
    /// [`TaskStoreError::Failed`].
    fn list<'a>(
        &'a self,
        owner: &'a TaskOwner,
        after: Option<(Timestamp, &'a str)>,
        most: usize,
    ) -> BoxFuture<'a, Result<Vec<StoredTask>, TaskStoreError>>;

    /// Forgets a task.
    ///
    /// # Errors
    /// [`TaskStoreError::Failed`].
    fn remove<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<(), TaskStoreError>>;
}

/// Why a task is not kept.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TaskStoreError {
    /// There is no room.
    #[error("too many tasks: {limit} {what} are kept")]
    Full {
        /// What there are too many of.
        what: &'static str,
        /// How many are kept.
        limit: usize,
    },
    /// The store does not work.
    #[error("failed to reach the tasks: {0}")]
    Failed(String),
}
