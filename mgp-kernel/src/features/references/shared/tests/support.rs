//! The stores and the kernels of the tests.

use super::super::super::{ReferenceSettings, References, content::Content, data::KeptData};
use crate::ground::reference_store::{
    KeptTotals, NewReference, ReferenceName, ReferenceStore, ReferenceUpload, RoomBounds, RoomShortage,
    SqlReferenceStore, StoredReference,
};
use async_trait::async_trait;
use mgp_discovery::config::ReferencesConfig;
use mgp_security::access::{AccessControl, SqlAccessStore};
use mgp_store::{
    StoreError,
    sql::{Database, SqlStore},
};
use mgp_toolindex::tokens::Cl100k;
use mgp_types::{context::Principal, rpc::ErrorObject};
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering::Relaxed},
};

/// The server of the results.
pub(super) const ORIGIN: &str = "crm.example";

/// A store that answers a number of requests, and is away then.
#[derive(Debug)]
pub(super) struct CountedStore {
    store: Arc<dyn ReferenceStore>,
    pub(super) left: Arc<AtomicUsize>,
    /// The objects that are being written, the most of them at once, and the most chunks that were written at once.
    pub(super) uploads: Arc<[AtomicUsize; 3]>,
    /// The removals of expired results, and those of their objects.
    pub(super) sweeps: [AtomicUsize; 2],
}

impl CountedStore {
    pub(super) fn new(database: &Database, left: usize) -> Arc<Self> {
        Self::over(Arc::new(SqlReferenceStore::new(database.clone())), left)
    }

    pub(super) fn over(store: Arc<dyn ReferenceStore>, left: usize) -> Arc<Self> {
        Arc::new(Self {
            store,
            left: Arc::new(left.into()),
            uploads: Arc::default(),
            sweeps: Default::default(),
        })
    }

    fn ask(&self) -> Result<&dyn ReferenceStore, StoreError> {
        ask(&self.left).map(|()| &*self.store)
    }
}

/// Takes one of the requests that are left.
fn ask(left: &AtomicUsize) -> Result<(), StoreError> {
    let asked = left.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1));
    asked.map_or_else(|_| Err(StoreError::new("nobody answers")), |_| Ok(()))
}

/// The object of a store that answers a number of requests.
#[derive(Debug)]
struct CountedUpload {
    upload: Option<Box<dyn ReferenceUpload>>,
    left: Arc<AtomicUsize>,
    uploads: Arc<[AtomicUsize; 3]>,
}

impl Drop for CountedUpload {
    fn drop(&mut self) {
        self.uploads[0].fetch_sub(1, Relaxed);
    }
}

#[async_trait]
impl ReferenceUpload for CountedUpload {
    async fn append(&mut self, chunks: Vec<Vec<u8>>) -> Result<(), StoreError> {
        ask(&self.left)?;
        self.uploads[2].fetch_max(chunks.len(), Relaxed);
        self.upload.as_mut().unwrap().append(chunks).await
    }

    async fn finish(mut self: Box<Self>) -> Result<bool, StoreError> {
        ask(&self.left)?;
        self.upload.take().unwrap().finish().await
    }
}

#[async_trait]
impl ReferenceStore for CountedStore {
    async fn totals(&self, caller: [u8; 32]) -> Result<KeptTotals, StoreError> {
        self.ask()?.totals(caller).await
    }

    async fn add(
        &self,
        result: NewReference,
        bounds: RoomBounds,
    ) -> Result<Result<(), RoomShortage>, StoreError> {
        self.ask()?.add(result, bounds).await
    }

    async fn append(&self, name: ReferenceName, chunks: Vec<Vec<u8>>) -> Result<bool, StoreError> {
        self.ask()?.append(name, chunks).await
    }

    async fn find(&self, name: ReferenceName) -> Result<Option<StoredReference>, StoreError> {
        self.ask()?.find(name).await
    }

    async fn chunks(&self, name: ReferenceName, from: u64, most: u64) -> Result<Vec<Vec<u8>>, StoreError> {
        self.ask()?.chunks(name, from, most).await
    }

    fn objects(&self) -> Option<&str> {
        self.store.objects()
    }

    async fn check_objects(&self) -> Result<(), StoreError> {
        self.ask()?.check_objects().await
    }

    async fn upload(&self, name: ReferenceName) -> Result<Box<dyn ReferenceUpload>, StoreError> {
        let upload = self.ask()?.upload(name).await?;
        self.uploads[1].fetch_max(self.uploads[0].fetch_add(1, Relaxed) + 1, Relaxed);
        let (left, uploads) = (self.left.clone(), self.uploads.clone());
        Ok(Box::new(CountedUpload { upload: Some(upload), left, uploads }))
    }

    async fn object_chunks(
        &self,
        name: ReferenceName,
        from: u64,
        most: u64,
    ) -> Result<Vec<Vec<u8>>, StoreError> {
        self.ask()?.object_chunks(name, from, most).await
    }

    async fn remove(&self, name: ReferenceName) -> Result<(), StoreError> {
        self.store.remove(name).await
    }

    async fn sweep(&self) -> Result<bool, StoreError> {
        self.sweeps[0].fetch_add(1, Relaxed);
        self.store.sweep().await
    }

    async fn sweep_objects(&self) -> Result<bool, StoreError> {
        self.sweeps[1].fetch_add(1, Relaxed);
        self.store.sweep_objects().await
    }
}

pub(super) async fn kernel(store: Arc<CountedStore>, bounds: ReferencesConfig) -> Arc<References> {
    let access = AccessControl::open(Arc::new(SqlAccessStore::in_memory())).await.unwrap();
    let settings = ReferenceSettings { bounds, ..ReferenceSettings::default() };
    References::new(settings, Arc::new(Cl100k), access, Some(store))
}

pub(super) fn ann() -> Principal {
    Principal::agent("agent.ann")
}

pub(super) async fn keep(kernel: &References, text: &str) -> String {
    kernel.keep(&ann(), ORIGIN, Content::text(text.to_owned(), "text/plain")).await.unwrap().ref_id
}

pub(super) fn text(data: &KeptData) -> String {
    let length = usize::try_from(data.spool.length()).unwrap();
    String::from_utf8(data.spool.read(0, length).unwrap()).unwrap()
}

pub(super) fn message(found: Result<Arc<KeptData>, ErrorObject>) -> (i64, String) {
    let error = found.unwrap_err();
    (error.code, error.message)
}
