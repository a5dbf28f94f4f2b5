//! The store of kept results.

use super::{KeptTotals, ReferenceUpload, RoomBounds, RoomShortage};
use async_trait::async_trait;
use mgp_store::StoreError;
use std::{fmt, time::Duration};

/// The name of a kept result in the store, which is derived from its reference and its owner, and reveals neither.
pub type ReferenceName = [u8; 32];

/// The bytes of each chunk but the last one of a result's data, encrypted.
pub const STORED_CHUNK: usize = 64 * 1024 + 16;

/// A result to be added to the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewReference {
    /// The name.
    pub name: ReferenceName,
    /// A hash of the caller that the result counts for.
    pub caller: [u8; 32],
    /// The bytes that count toward the bounds.
    pub bytes: u64,
    /// The time for which the result is kept.
    pub ttl: Duration,
    /// The facts about the result, encrypted.
    pub facts: Vec<u8>,
    /// True if the data will be an object instead of rows.
    pub is_object: bool,
}

/// A stored result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredReference {
    /// The facts about the result, encrypted.
    pub facts: Vec<u8>,
    /// The number of chunks of its data that are in the store.
    pub chunks: u64,
    /// True if the data is an object instead of rows.
    pub is_object: bool,
    /// The time for which the result is still kept.
    pub expires_in: Duration,
}

/// A store of kept results that several kernels share. All times are those of the store, because the clocks of several machines differ. The
/// store gets encrypted data only.
///
/// A store may put the data of long results into objects, which are elsewhere. Its rows stay the truth: a result whose data is an object has no
/// chunks before the object is complete, and its row is removed after the object.
///
/// No method waits for a database that is known to be away.
#[async_trait]
pub trait ReferenceStore: fmt::Debug + Send + Sync + 'static {
    /// Returns the results that are kept, with the sums of one caller.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be read.
    async fn totals(&self, caller: [u8; 32]) -> Result<KeptTotals, StoreError>;

    /// Adds a result without its data, if there is room for it. No other kernel adds one in between.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be written.
    async fn add(
        &self,
        result: NewReference,
        bounds: RoomBounds,
    ) -> Result<Result<(), RoomShortage>, StoreError>;

    /// Appends chunks to the data of a result. Returns false if the result was removed or has expired.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be written.
    async fn append(&self, name: ReferenceName, chunks: Vec<Vec<u8>>) -> Result<bool, StoreError>;

    /// Returns the address of the objects; `None` if the store has none, and keeps all data in rows.
    fn objects(&self) -> Option<&str> {
        None
    }

    /// Checks that objects can be written, read and removed.
    ///
    /// # Errors
    /// [`StoreError`] if they cannot.
    async fn check_objects(&self) -> Result<(), StoreError> {
        Ok(())
    }

    /// Begins to write the object of a result that was added with `is_object`.
    ///
    /// # Errors
    /// [`StoreError`] if the object cannot be written.
    async fn upload(&self, _name: ReferenceName) -> Result<Box<dyn ReferenceUpload>, StoreError> {
        Err(StoreError::new("the store has no objects"))
    }

    /// Returns up to a number of chunks of a result's object, from one on.
    ///
    /// # Errors
    /// [`StoreError`] if the object cannot be read.
    async fn object_chunks(
        &self,
        _name: ReferenceName,
        _from: u64,
        _most: u64,
    ) -> Result<Vec<Vec<u8>>, StoreError> {
        Err(StoreError::new("the data is an object, and this gateway has no references.object_store"))
    }

    /// Returns a result that has not expired.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be read.
    async fn find(&self, name: ReferenceName) -> Result<Option<StoredReference>, StoreError>;

    /// Returns up to a number of chunks of a result's data, from one on.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be read.
    async fn chunks(&self, name: ReferenceName, from: u64, most: u64) -> Result<Vec<Vec<u8>>, StoreError>;

    /// Removes a result. One whose data is an object expires instead, because the object is removed first.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be written.
    async fn remove(&self, name: ReferenceName) -> Result<(), StoreError>;

    /// Removes some of the results that have expired and whose data is not an object. Returns whether more of them may be left.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be written.
    async fn sweep(&self) -> Result<bool, StoreError>;

    /// Removes some of the objects whose results have expired, and then these results. Returns whether more of them may be left.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be written.
    async fn sweep_objects(&self) -> Result<bool, StoreError> {
        Ok(false)
    }
}
