//! Adds a result to the store.

use super::{
    super::{data::KeptData, keep_error::KeepError},
    SharedResults,
    facts::{CHUNK, SharedFacts, caller, key},
    results::{BATCH, answered},
};
use crate::ground::reference_store::{NewReference, ReferenceName, ReferenceStore};
use mgp_store::{StoreError, spool::DerivedKey};
use mgp_types::context::Principal;
use std::{io, ops::Range, sync::Arc};

impl SharedResults {
    /// Adds a result, of which `bytes` count toward the limits. While the store is away, only this kernel has the result.
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
        let result = NewReference {
            name: *key.name(),
            caller: caller(owner),
            bytes,
            ttl: self.ttl,
            facts: facts.seal(&key)?,
        };
        let row = AddedRow { store: self.store.clone(), name: *key.name(), is_kept: false };
        match answered(self.store.add(result, self.room)).await {
            Ok(Ok(())) => {}
            Ok(Err(shortage)) => {
                row.keep();
                return Err(shortage.into());
            }
            Err(error) => {
                row.keep_here(&error);
                return Ok(());
            }
        }
        let mut next = if facts.bytes() > self.most { facts.chunks() } else { 0 };
        while next < facts.chunks() {
            let end = facts.chunks().min(next + BATCH);
            let chunks = sealed(data.clone(), key.clone(), next..end).await?;
            match answered(self.store.append(*key.name(), chunks)).await {
                Ok(true) => next = end,
                // The result has expired.
                Ok(false) => break,
                Err(error) => {
                    row.keep_here(&error);
                    return Ok(());
                }
            }
        }
        row.keep();
        Ok(())
    }
}

/// Reads and encrypts some chunks of the data.
async fn sealed(data: Arc<KeptData>, key: Arc<DerivedKey>, chunks: Range<u64>) -> io::Result<Vec<Vec<u8>>> {
    let seal = move |chunk: u64| key.seal(chunk, data.spool.read(chunk * CHUNK as u64, CHUNK)?);
    tokio::task::spawn_blocking(move || chunks.map(seal).collect()).await.map_err(io::Error::other)?
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

    fn keep_here(self, error: &StoreError) {
        tracing::warn!(%error, "only this gateway has a kept result");
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
