//! The interface of a store of registered servers.

use super::{Registration, RequestOutcome, RequestedServer, StoreError};
use async_trait::async_trait;
use std::fmt;

/// A store of registered servers: one for each id, in the order in which they were registered.
#[async_trait]
pub trait RegistrationStore: fmt::Debug + Send + Sync + 'static {
    /// Returns every server, oldest first.
    async fn load(&self) -> Result<Vec<Registration>, StoreError>;

    /// Stores a server, unless its id is taken or there are `limit` servers already. The check and the write are one step, even
    /// between processes.
    async fn add(&self, registration: Registration, limit: usize) -> Result<AddOutcome, StoreError>;

    /// Removes a server and returns it, if it is still the same one, by its id and by the time and author of its registration.
    async fn remove(&self, found: &Registration) -> Result<Option<Registration>, StoreError>;

    /// Removes the server that is stored under an id if it cannot be read or can no longer be used, so that [`load`](Self::load)
    /// leaves it out. Returns whether it existed. The default is for stores without unreadable servers.
    ///
    /// # Errors
    /// [`StoreError`] if the server cannot be removed.
    async fn remove_unusable(&self, id: &str) -> Result<bool, StoreError> {
        let _ = id;
        Ok(false)
    }

    /// Returns every request for a server that is open or was denied, oldest first. The default is for stores that keep no requests.
    ///
    /// # Errors
    /// [`StoreError`] if the requests cannot be read.
    async fn requests(&self) -> Result<Vec<RequestedServer>, StoreError> {
        Ok(Vec::new())
    }

    /// Keeps a request for a server, in the name of its author, and forgets expired requests. An existing request keeps its answer.
    ///
    /// # Errors
    /// [`StoreError`] if the request cannot be stored.
    async fn request(&self, registration: Registration) -> Result<RequestOutcome, StoreError> {
        let _ = registration;
        Ok(RequestOutcome::NotKept)
    }

    /// Denies a request. Returns whether a request with this id was waiting.
    ///
    /// # Errors
    /// [`StoreError`] if the answer cannot be stored.
    async fn deny_request(&self, request_id: &str, by: &str) -> Result<bool, StoreError> {
        let _ = (request_id, by);
        Ok(false)
    }

    /// Removes and returns the request with this id, if it exists and was not denied. Of several callers, only one gets it.
    ///
    /// # Errors
    /// [`StoreError`] if the request cannot be removed.
    async fn take_request(&self, request_id: &str) -> Result<Option<RequestedServer>, StoreError> {
        let _ = request_id;
        Ok(None)
    }

    /// Removes and returns the request or denial with this id, if it exists.
    ///
    /// # Errors
    /// [`StoreError`] if the request cannot be removed.
    async fn remove_request(&self, request_id: &str) -> Result<Option<RequestedServer>, StoreError> {
        let _ = request_id;
        Ok(None)
    }

    /// Returns a number that changes when another process has changed the servers.
    async fn version(&self) -> Result<i64, StoreError>;
}

/// The outcome of adding a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AddOutcome {
    /// The server was stored.
    Yes,
    /// Another server has the id.
    Taken,
    /// The store holds as many servers as it may.
    Full,
}
