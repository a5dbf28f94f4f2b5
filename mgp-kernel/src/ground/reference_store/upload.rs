//! The object of a result that is being written.

use async_trait::async_trait;
use mgp_store::StoreError;
use std::fmt;

/// The object of a result that is being written. If the value is dropped before its end, its parts are removed.
#[async_trait]
pub trait ReferenceUpload: fmt::Debug + Send {
    /// Appends chunks, as one part. All parts but the last one have the same number of chunks.
    ///
    /// # Errors
    /// [`StoreError`] if the object cannot be written.
    async fn append(&mut self, chunks: Vec<Vec<u8>>) -> Result<(), StoreError>;

    /// Completes the object, and then the result. Returns false if the result has expired, whose object is removed.
    ///
    /// # Errors
    /// [`StoreError`] if the object or the result cannot be completed.
    async fn finish(self: Box<Self>) -> Result<bool, StoreError>;
}
