//! Where registered servers are kept.

use super::Registration;
use async_trait::async_trait;
use std::fmt;

/// Where registered servers are kept: one for each id, in the order in which they were registered.
#[async_trait]
pub trait RegistrationStore: fmt::Debug + Send + Sync + 'static {
    /// Every server, oldest first.
    async fn load(&self) -> Result<Vec<Registration>, StoreError>;

    /// Keeps a server, unless its id is taken or there are `limit` already. Looking and keeping are one step, also between
    /// processes.
    async fn add(&self, registration: Registration, limit: usize) -> Result<Added, StoreError>;

    /// Removes a server and returns it, where it is still this one: the id, and when and by whom it was registered.
    async fn remove(&self, found: &Registration) -> Result<Option<Registration>, StoreError>;

    /// Removes what is stored under an id where it cannot be read, or not be used any more, so that [`load`](Self::load) leaves it
    /// out. Returns whether there was such a one. A store that can read whatever it keeps has none.
    ///
    /// # Errors
    /// [`StoreError`] where it cannot be removed.
    async fn remove_unusable(&self, id: &str) -> Result<bool, StoreError> {
        let _ = id;
        Ok(false)
    }

    /// A number that is another one when somebody else has changed the servers.
    async fn version(&self) -> Result<i64, StoreError>;
}

/// Whether a server was kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Added {
    /// It was.
    Yes,
    /// Another one has its id.
    Taken,
    /// There are as many as there may be.
    Full,
}

/// Why a store could not do what it was asked for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("failed to use the store of registered servers: {0}")]
pub struct StoreError(String);

impl StoreError {
    /// An error with its reason.
    pub fn new(reason: impl Into<String>) -> Self {
        Self(reason.into())
    }
}

/// Whether a stored server is the one that somebody found before.
pub(super) fn is_same(stored: &Registration, found: &Registration) -> bool {
    stored.id() == found.id()
        && stored.created_at == found.created_at
        && stored.created_by == found.created_by
        && stored.by_admin == found.by_admin
}
