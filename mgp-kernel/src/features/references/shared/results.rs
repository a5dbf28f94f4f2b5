//! The store of shared results with its limits.

use super::{
    super::{ReferenceSettings, entries::Entries},
    facts::caller,
};
use crate::ground::reference_store::{ReferenceStore, RoomBounds, RoomShortage};
use mgp_store::StoreError;
use mgp_types::context::Principal;
use std::{
    path::PathBuf,
    sync::{Arc, Weak},
    time::Duration,
};
use tokio::{
    sync::{Mutex, Semaphore},
    time::sleep,
};

/// The longest wait for one answer of the store.
const ANSWER: Duration = Duration::from_secs(5);

/// The longest wait for one part of an object, and for the removal of some objects.
const PART_ANSWER: Duration = Duration::from_secs(30);

/// The interval at which each kernel removes expired results.
const SWEEP: Duration = Duration::from_secs(60);

/// The number of chunks that are written or read at once: 1 MiB.
pub(super) const BATCH: u64 = 16;

/// The number of chunks in each part of an object: 8 MiB. Stores refuse parts below 5 MiB, and more than 10,000 of them.
pub(super) const PART: u64 = 128;

/// The most objects that are written at once, each with two parts in memory.
const UPLOADS: usize = 4;

/// The results that other kernels find, too.
#[derive(Debug)]
pub(in crate::features::references) struct SharedResults {
    pub(super) store: Arc<dyn ReferenceStore>,
    pub(super) room: RoomBounds,
    pub(super) ttl: Duration,
    /// The most bytes of a result whose data is stored in rows.
    pub(super) most: u64,
    pub(super) folder: Option<PathBuf>,
    pub(super) entries: Arc<Entries>,
    /// Held while a result is fetched from rows, so that it is fetched once, and few bytes are in memory.
    pub(super) fetching: Mutex<()>,
    /// The same for objects, which take longer.
    pub(super) fetching_objects: Mutex<()>,
    pub(super) uploads: Semaphore,
}

impl SharedResults {
    /// Uses a store, whose expired results are removed as long as the value lives.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    pub(in crate::features::references) fn new(
        store: Arc<dyn ReferenceStore>,
        settings: &ReferenceSettings,
        entries: Arc<Entries>,
    ) -> Arc<Self> {
        let shared = Arc::new(Self {
            store,
            room: settings.room(),
            ttl: settings.ttl(),
            most: settings.bounds.store_bytes,
            folder: settings.folder.clone(),
            entries,
            fetching: Mutex::new(()),
            fetching_objects: Mutex::new(()),
            uploads: Semaphore::new(UPLOADS),
        });
        tokio::spawn(sweep(Arc::downgrade(&shared)));
        shared
    }

    /// Checks that there is room for one more result of a principal. While the store is away, there is.
    ///
    /// # Errors
    /// [`RoomShortage`].
    pub(in crate::features::references) async fn check_room(
        &self,
        owner: &Principal,
    ) -> Result<(), RoomShortage> {
        match answered(self.store.totals(caller(owner))).await {
            Ok(totals) => totals.check(&self.room, 1),
            Err(error) => {
                tracing::debug!(%error, "the room for kept results is unknown");
                Ok(())
            }
        }
    }

    /// Warns if the objects of the store cannot be used. The kernel works without them, and they may come later.
    pub(in crate::features::references) async fn check_objects(&self) {
        let Some(objects) = self.store.objects() else { return };
        if let Err(error) = part_answered(self.store.check_objects()).await {
            tracing::warn!(%error, objects, "long kept results cannot be shared: references.object_store does not work");
        }
    }
}

/// Waits for an answer of the store, for a bounded time.
pub(super) async fn answered<T>(
    answer: impl Future<Output = Result<T, StoreError>>,
) -> Result<T, StoreError> {
    answered_within(ANSWER, answer).await
}

/// Waits for a part of an object, for a bounded time.
pub(super) async fn part_answered<T>(
    answer: impl Future<Output = Result<T, StoreError>>,
) -> Result<T, StoreError> {
    answered_within(PART_ANSWER, answer).await
}

async fn answered_within<T>(
    most: Duration,
    answer: impl Future<Output = Result<T, StoreError>>,
) -> Result<T, StoreError> {
    match tokio::time::timeout(most, answer).await {
        Ok(answer) => answer,
        Err(_) => Err(StoreError::new(format!("no answer within {} s", most.as_secs()))),
    }
}

/// Removes expired results, until nobody uses the store any more.
async fn sweep(shared: Weak<SharedResults>) {
    loop {
        sleep(SWEEP).await;
        let Some(store) = shared.upgrade().map(|shared| shared.store.clone()) else { return };
        while may_have_more(answered(store.sweep()).await) {}
        while may_have_more(part_answered(store.sweep_objects()).await) {}
    }
}

/// Returns whether more results have expired, as far as the store could remove some.
fn may_have_more(swept: Result<bool, StoreError>) -> bool {
    swept.unwrap_or_else(|error| {
        tracing::debug!(%error, "expired results were not removed");
        false
    })
}
