//! The store of kept results in the tables of a database, with objects for the data of long results.

use super::{
    KeptTotals, NewReference, ReferenceName, ReferenceStore, ReferenceUpload, RoomBounds, RoomShortage,
    STORED_CHUNK, SqlReferenceStore, StoredReference,
    sql::{ALL, SWEPT, bytes, remove},
};
use async_trait::async_trait;
use mgp_store::{
    StoreError,
    objects::{ObjectFolder, ObjectUpload},
    sql::{Connection, params},
};

/// The store of kept results in a database, which puts the data of long results into a folder of objects.
///
/// The row of such a result is added first, and says that there may be an object. Only when the object is complete does the row say that the
/// data can be read. The gateway that removes the expired result removes its object before its row, so that no object is forgotten.
///
/// ```
/// use mgp_kernel::{Kernel, ObjectFolder, ObjectReferenceStore, SqlReferenceStore, Stores};
/// use std::sync::Arc;
///
/// # fn builder(rows: SqlReferenceStore) -> Result<(), Box<dyn std::error::Error>> {
/// let store = ObjectReferenceStore::new(rows, ObjectFolder::open("s3://kept-results/mgp")?);
/// let stores = Stores { references: Some(Arc::new(store)), ..Stores::default() };
/// let kernel = Kernel::builder().stores(stores);
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct ObjectReferenceStore {
    rows: SqlReferenceStore,
    folder: ObjectFolder,
    address: String,
}

impl ObjectReferenceStore {
    /// Creates a store from its rows and the folder of its objects.
    #[must_use]
    pub fn new(rows: SqlReferenceStore, folder: ObjectFolder) -> Self {
        Self { address: folder.to_string(), rows, folder }
    }
}

#[async_trait]
impl ReferenceStore for ObjectReferenceStore {
    async fn totals(&self, caller: [u8; 32]) -> Result<KeptTotals, StoreError> {
        self.rows.totals(caller).await
    }

    async fn add(
        &self,
        result: NewReference,
        bounds: RoomBounds,
    ) -> Result<Result<(), RoomShortage>, StoreError> {
        self.rows.add(result, bounds).await
    }

    async fn append(&self, name: ReferenceName, chunks: Vec<Vec<u8>>) -> Result<bool, StoreError> {
        self.rows.append(name, chunks).await
    }

    fn objects(&self) -> Option<&str> {
        Some(&self.address)
    }

    async fn check_objects(&self) -> Result<(), StoreError> {
        self.folder.check().await
    }

    async fn upload(&self, name: ReferenceName) -> Result<Box<dyn ReferenceUpload>, StoreError> {
        let upload = self.folder.upload(&object(&name)).await?;
        Ok(Box::new(UploadOfResult { store: self.clone(), name, upload, chunks: 0 }))
    }

    async fn object_chunks(
        &self,
        name: ReferenceName,
        from: u64,
        most: u64,
    ) -> Result<Vec<Vec<u8>>, StoreError> {
        let at = |chunk: u64| chunk.saturating_mul(STORED_CHUNK as u64);
        let range = at(from)..at(from.saturating_add(most));
        let bytes = self.folder.read(&object(&name), range).await?;
        Ok(bytes.chunks(STORED_CHUNK).map(<[u8]>::to_vec).collect())
    }

    async fn find(&self, name: ReferenceName) -> Result<Option<StoredReference>, StoreError> {
        self.rows.find(name).await
    }

    async fn chunks(&self, name: ReferenceName, from: u64, most: u64) -> Result<Vec<Vec<u8>>, StoreError> {
        self.rows.chunks(name, from, most).await
    }

    async fn remove(&self, name: ReferenceName) -> Result<(), StoreError> {
        self.rows.remove(name).await
    }

    async fn sweep(&self) -> Result<bool, StoreError> {
        self.rows.sweep().await
    }

    async fn sweep_objects(&self) -> Result<bool, StoreError> {
        let expired = self.rows.expired_objects().await?;
        let objects: Vec<_> = expired.iter().map(|name| object(name)).collect();
        self.folder.remove(&objects).await?;
        let more = expired.len() == SWEPT;
        self.rows.remove_rows(expired).await?;
        Ok(more)
    }
}

/// The object of a result that is being written.
#[derive(Debug)]
struct UploadOfResult {
    store: ObjectReferenceStore,
    name: ReferenceName,
    upload: ObjectUpload,
    chunks: u64,
}

#[async_trait]
impl ReferenceUpload for UploadOfResult {
    async fn append(&mut self, chunks: Vec<Vec<u8>>) -> Result<(), StoreError> {
        let added = chunks.len() as u64;
        self.upload.part(chunks).await?;
        self.chunks += added;
        Ok(())
    }

    async fn finish(self: Box<Self>) -> Result<bool, StoreError> {
        let Self { store, name, upload, chunks } = *self;
        upload.finish().await?;
        let is_kept = store.rows.complete(name, chunks).await?;
        if !is_kept {
            store.folder.remove(&[object(&name)]).await?;
        }
        Ok(is_kept)
    }
}

impl SqlReferenceStore {
    /// Records that the object of a result is complete. Returns false if the result was removed or has expired.
    async fn complete(&self, name: ReferenceName, chunks: u64) -> Result<bool, StoreError> {
        let complete = move |connection: &Connection<'_>| {
            let sql = format!(
                "UPDATE kept_results SET chunks = $2 WHERE name = $1 AND expires_at > {} RETURNING name",
                connection.clock()
            );
            Ok(connection.row(&sql, &params![&name[..], chunks])?.is_some())
        };
        self.write(&[], complete).await
    }

    /// Returns some of the expired results whose data is an object.
    async fn expired_objects(&self) -> Result<Vec<Vec<u8>>, StoreError> {
        let read = |connection: &Connection<'_>| {
            let sql = format!(
                "SELECT name FROM kept_results WHERE expires_at <= {} AND is_object = 1 ORDER BY expires_at LIMIT {SWEPT}",
                connection.clock()
            );
            let rows = connection.rows(&sql, &[])?;
            rows.iter().map(|row| bytes(row, "name")).collect::<Result<_, _>>().map_err(StoreError::new)
        };
        self.read(read).await
    }

    /// Removes results whose objects are removed.
    async fn remove_rows(&self, names: Vec<Vec<u8>>) -> Result<(), StoreError> {
        if names.is_empty() {
            return Ok(());
        }
        let remove =
            move |connection: &Connection<'_>| names.iter().try_for_each(|name| remove(connection, name));
        self.write(&[ALL], remove).await
    }
}

/// Returns the name of a result's object.
fn object(name: &[u8]) -> String {
    name.iter().map(|byte| format!("{byte:02x}")).collect()
}
