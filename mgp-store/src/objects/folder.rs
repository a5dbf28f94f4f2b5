//! A folder of objects.

use super::{ObjectUpload, address::parse, retries::retries};
use crate::StoreError;
use futures_util::{StreamExt, stream};
use object_store::{
    Error, GetOptions, GetRange, ObjectStore, ObjectStoreExt, PutPayload, aws::AmazonS3Builder, path::Path,
};
use std::{
    fmt,
    ops::Range,
    sync::Arc,
    time::{SystemTime, UNIX_EPOCH},
};

/// The most objects that are removed at once.
const REMOVED_AT_ONCE: usize = 8;

/// A folder of objects in a store that speaks S3, or in another [`ObjectStore`].
///
/// ```
/// use mgp_store::objects::{ObjectFolder, object_store::memory::InMemory};
/// use std::sync::Arc;
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let folder = ObjectFolder::new(Arc::new(InMemory::new()), "s3://kept/mgp")?;
/// let mut upload = folder.upload("a").await?;
/// upload.part(vec![b"long ".to_vec(), b"data".to_vec()]).await?;
/// upload.finish().await?;
/// assert_eq!(folder.read("a", 5..100).await?, b"data");
/// folder.remove(&["a".to_owned()]).await?;
/// assert_eq!(folder.read("a", 0..100).await?, b"");
/// # Ok::<(), mgp_store::StoreError>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct ObjectFolder {
    store: Arc<dyn ObjectStore>,
    folder: Path,
    address: Arc<str>,
}

impl ObjectFolder {
    /// Uses a folder of a bucket, such as `s3://bucket/folder`. The credentials, the region and the endpoint are those of the `AWS_*` variables
    /// of this process. Nothing is requested yet.
    ///
    /// # Errors
    /// [`StoreError`] for another form of address, and for variables that contradict each other.
    pub fn open(address: &str) -> Result<Self, StoreError> {
        let (bucket, _) = parse(address)?;
        // A provider that is already installed stays.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let store = AmazonS3Builder::from_env()
            .with_bucket_name(bucket)
            // Some stores cannot remove many objects with one request.
            .with_disable_bulk_delete(true)
            .with_retry(retries())
            .build();
        let store = store.map_err(|error| StoreError::new(format!("{address}: {error}")))?;
        Self::new(Arc::new(store), address)
    }

    /// Uses a folder of another store. Of the address, only the folder is used, and errors show it.
    ///
    /// # Errors
    /// [`StoreError`] for another form of address.
    pub fn new(store: Arc<dyn ObjectStore>, address: &str) -> Result<Self, StoreError> {
        let (_, folder) = parse(address)?;
        Ok(Self { store, folder, address: address.into() })
    }

    /// Checks that an object can be written, read and removed.
    ///
    /// # Errors
    /// [`StoreError`] with the first request that failed.
    pub async fn check(&self) -> Result<(), StoreError> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let name = format!("check-{}-{}", std::process::id(), now.as_nanos());
        let path = self.path(&name);
        let content = PutPayload::from_static(b"mgp");
        self.store.put(&path, content).await.map_err(|error| self.failed(error))?;
        let read = self.read(&name, 0..3).await;
        self.remove(&[name]).await?;
        match read?.as_slice() {
            b"mgp" => Ok(()),
            other => Err(self.failed(format!("an object has {} bytes, expected 3", other.len()))),
        }
    }

    /// Begins to write an object, which replaces one with the same name.
    ///
    /// # Errors
    /// [`StoreError`] if the store does not begin one.
    pub async fn upload(&self, name: &str) -> Result<ObjectUpload, StoreError> {
        let upload = self.store.put_multipart(&self.path(name)).await.map_err(|error| self.failed(error))?;
        Ok(ObjectUpload::new(self.clone(), name, upload))
    }

    /// Returns bytes of an object. Fewer, or none, for an object that is too short or not there.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be asked.
    pub async fn read(&self, name: &str, range: Range<u64>) -> Result<Vec<u8>, StoreError> {
        let path = self.path(name);
        let start = range.start;
        let options = GetOptions::new().with_range(Some(GetRange::Bounded(range)));
        let read = match self.store.get_opts(&path, options).await {
            Ok(found) => found.bytes().await,
            Err(error) => Err(error),
        };
        match read {
            Ok(bytes) => Ok(bytes.into()),
            Err(Error::NotFound { .. }) => Ok(Vec::new()),
            // Stores refuse a range after the end in different ways.
            Err(error) => match self.store.head(&path).await {
                Ok(found) if found.size <= start => Ok(Vec::new()),
                _ => Err(self.failed(error)),
            },
        }
    }

    /// Removes objects. One that is gone is not an error.
    ///
    /// # Errors
    /// [`StoreError`] with the first object that could not be removed. The others are removed.
    pub async fn remove(&self, names: &[String]) -> Result<(), StoreError> {
        let remove = |name: &String| {
            let (store, path) = (self.store.clone(), self.path(name));
            async move { store.delete(&path).await }
        };
        let removals: Vec<_> = names.iter().map(remove).collect();
        let removed: Vec<_> = stream::iter(removals).buffer_unordered(REMOVED_AT_ONCE).collect().await;
        let problem = removed.into_iter().filter_map(Result::err);
        let mut problems = problem.filter(|error| !matches!(error, Error::NotFound { .. }));
        problems.next().map_or(Ok(()), |error| Err(self.failed(error)))
    }

    pub(super) fn failed(&self, problem: impl fmt::Display) -> StoreError {
        StoreError::new(format!("{self}: {problem}"))
    }

    fn path(&self, name: &str) -> Path {
        self.folder.clone().join(name)
    }
}

impl fmt::Display for ObjectFolder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.address)
    }
}

impl fmt::Debug for ObjectFolder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ObjectFolder").field(&self.address).finish()
    }
}
