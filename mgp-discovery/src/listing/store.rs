//! The interface of a store of listings.

use super::StoreError;
use async_trait::async_trait;
use std::fmt;

/// The longest listing that is kept, in bytes.
pub const MAX_LISTING: usize = 8 * 1024 * 1024;

/// The last lists of one server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptListing {
    /// The server.
    pub server_id: String,
    /// A digest of the command or URL by which the server was reached. The listing of another command does not apply to this one.
    pub endpoint: String,
    /// The listing, as the kernel wrote it: JSON.
    pub listing: String,
}

/// A store of listings: one for each server.
#[async_trait]
pub trait ListingStore: fmt::Debug + Send + Sync + 'static {
    /// Returns every listing.
    ///
    /// # Errors
    /// [`StoreError`] if the listings cannot be read.
    async fn load(&self) -> Result<Vec<KeptListing>, StoreError>;

    /// Keeps a listing, replacing the server's earlier one.
    ///
    /// # Errors
    /// [`StoreError`] if the listing has more than [`MAX_LISTING`] bytes or cannot be stored.
    async fn keep(&self, listing: KeptListing) -> Result<(), StoreError>;

    /// Removes the listing of a server.
    ///
    /// # Errors
    /// [`StoreError`] if the listing cannot be removed.
    async fn remove(&self, server_id: &str) -> Result<(), StoreError>;
}
