//! Adds a result to the store.

use super::{
    super::{data::KeptData, keep_error::KeepError},
    SharedResults,
    facts::{CHUNK, SharedFacts, caller, key},
    results::{BATCH, PART, answered, part_answered},
};
use crate::ground::reference_store::{NewReference, ReferenceName, ReferenceStore};
use mgp_store::{StoreError, spool::DerivedKey};
use mgp_types::context::Principal;
use std::{io, ops::Range, sync::Arc};

impl SharedResults {
    /// Adds a result, of which `bytes` count toward the limits. While the store is away, only this kernel has the result. The data of a long
    /// result becomes an object if the store has objects; otherwise it stays with this kernel, too.
    ///
    /// # Errors
    /// [`KeepError::NoRoom`] if all kernels together have no room, and [`KeepError::Write`] if the data cannot be read or encrypted.
    pub(in crate::features::references) async fn put(
        &self,
        owner: &Principal,
        data: Arc<KeptData>,
        bytes: u64,
    ) -> Result<(), KeepError> {
        let key = Arc::new(key(owner, &data.reference.ref_id)?);
        let facts = SharedFacts::of(&data);
        let is_long = facts.bytes() > self.most;
        let is_object = is_long && self.store.objects().is_some();
        let result = NewReference {
            name: *key.name(),
            caller: caller(owner),
            bytes,
            ttl: self.ttl,
            facts: facts.seal(&key)?,
            is_object,
        };
        let row = AddedRow { store: self.store.clone(), name: *key.name(), is_kept: false };
        match answered(self.store.add(result, self.room)).await {
            Ok(Ok(())) => {}
            Ok(Err(shortage)) => {
                row.keep();
                return Err(shortage.into());
            }
            Err(error) => {
                row.keep_here(&error, None);
                return Ok(());
            }
        }
        let data = SealedData { data, key, chunks: facts.chunks() };
        let stored = match (is_object, is_long) {
            (true, _) => self.upload(&data).await?,
            (false, true) => Ok(()),
            (false, false) => self.append(&data).await?,
        };
        match stored {
            Ok(()) => row.keep(),
            Err(error) => row.keep_here(&error, self.store.objects().filter(|_| is_object)),
        }
        Ok(())
    }

    /// Stores data in rows. The inner error is that of the store.
    async fn append(&self, data: &SealedData) -> io::Result<Result<(), StoreError>> {
        for chunks in data.batches(BATCH) {
            match answered(self.store.append(*data.key.name(), data.sealed(chunks).await?)).await {
                Ok(true) => {}
                // The result has expired.
                Ok(false) => break,
                Err(error) => return Ok(Err(error)),
            }
        }
        Ok(Ok(()))
    }

    /// Stores data in an object. The inner error is that of the store.
    async fn upload(&self, data: &SealedData) -> io::Result<Result<(), StoreError>> {
        let place =
            async { self.uploads.acquire().await.map_err(|error| StoreError::new(error.to_string())) };
        let _place = match part_answered(place).await {
            Ok(place) => place,
            Err(error) => return Ok(Err(error)),
        };
        let mut upload = match answered(self.store.upload(*data.key.name())).await {
            Ok(upload) => upload,
            Err(error) => return Ok(Err(error)),
        };
        for chunks in data.batches(PART) {
            if let Err(error) = part_answered(upload.append(data.sealed(chunks).await?)).await {
                return Ok(Err(error));
            }
        }
        Ok(part_answered(upload.finish()).await.map(drop))
    }
}

/// Data that is encrypted while it is stored.
struct SealedData {
    data: Arc<KeptData>,
    key: Arc<DerivedKey>,
    chunks: u64,
}

impl SealedData {
    /// Returns the ranges of chunks that are stored at once.
    fn batches(&self, length: u64) -> impl Iterator<Item = Range<u64>> + use<> {
        let chunks = self.chunks;
        (0..chunks.div_ceil(length)).map(move |at| at * length..chunks.min((at + 1) * length))
    }

    /// Reads and encrypts some chunks.
    async fn sealed(&self, chunks: Range<u64>) -> io::Result<Vec<Vec<u8>>> {
        let (data, key) = (self.data.clone(), self.key.clone());
        let seal = move |chunk: u64| key.seal(chunk, data.spool.read(chunk * CHUNK as u64, CHUNK)?);
        tokio::task::spawn_blocking(move || chunks.map(seal).collect()).await.map_err(io::Error::other)?
    }
}

/// A row that is removed again if its result is not kept, for example because its call was cancelled.
struct AddedRow {
    store: Arc<dyn ReferenceStore>,
    name: ReferenceName,
    is_kept: bool,
}

impl AddedRow {
    fn keep(mut self) {
        self.is_kept = true;
    }

    fn keep_here(self, error: &StoreError, objects: Option<&str>) {
        tracing::warn!(%error, objects, "only this gateway has a kept result");
        self.keep();
    }
}

impl Drop for AddedRow {
    fn drop(&mut self) {
        if self.is_kept {
            return;
        }
        let (store, name) = (self.store.clone(), self.name);
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                if let Err(error) = answered(store.remove(name)).await {
                    tracing::debug!(%error, "a result that nobody keeps stays until it expires");
                }
            });
        }
    }
}
