//! Results whose data is an object.

use super::{
    super::{super::References, results::PART},
    support::{CountedStore, ann, keep, kernel, message, text},
};
use crate::{
    features::references::content::Content,
    ground::reference_store::{ObjectReferenceStore, ReferenceStore, STORED_CHUNK, SqlReferenceStore},
};
use futures_util::{TryStreamExt, future::join_all};
use mgp_discovery::config::ReferencesConfig;
use mgp_store::{
    objects::{
        ObjectFolder,
        object_store::{ObjectMeta, ObjectStore, ObjectStoreExt, PutPayload, memory::InMemory},
    },
    sql::{Database, SqlStore},
};
use mgp_types::context::Principal;
use std::sync::{Arc, atomic::Ordering::Relaxed};
use xtask_testing::{SharedDatabase, databases};

/// The most bytes of data in rows.
const STORE_BYTES: u64 = 1000;

/// Two kernels on one database and one store of objects.
struct Kernels {
    here: Arc<References>,
    there: Arc<References>,
    /// The stores of both kernels.
    stores: [Arc<CountedStore>; 2],
    objects: InMemory,
    database: SharedDatabase,
}

impl Kernels {
    /// Returns the objects.
    async fn list(&self) -> Vec<ObjectMeta> {
        self.objects.list(None).try_collect().await.unwrap()
    }

    /// Returns the bytes of the only object.
    async fn object(&self) -> (ObjectMeta, Vec<u8>) {
        let [object] = self.list().await.try_into().unwrap();
        let bytes = self.objects.get(&object.location).await.unwrap().bytes().await.unwrap();
        (object, bytes.into())
    }

    async fn put(&self, object: &ObjectMeta, bytes: Vec<u8>) {
        self.objects.put(&object.location, PutPayload::from(bytes)).await.unwrap();
    }
}

fn bounds() -> ReferencesConfig {
    ReferencesConfig { store_bytes: STORE_BYTES, ..ReferencesConfig::default() }
}

fn store(database: &Database, objects: &InMemory, left: usize) -> Arc<CountedStore> {
    let folder = ObjectFolder::new(Arc::new(objects.clone()), "s3://kept/mgp").unwrap();
    let rows = SqlReferenceStore::new(database.clone());
    CountedStore::over(Arc::new(ObjectReferenceStore::new(rows, folder)), left)
}

/// Returns kernels on a database of each engine. The store of the first one answers a number of requests.
async fn kernels(left: usize) -> Vec<Kernels> {
    let mut kernels = Vec::new();
    for database in databases(SqlReferenceStore::SCHEMA).await {
        let objects = InMemory::new();
        let stores = [store(&database.here, &objects, left), store(&database.there, &objects, usize::MAX)];
        let here = kernel(stores[0].clone(), bounds()).await;
        let there = kernel(stores[1].clone(), bounds()).await;
        kernels.push(Kernels { here, there, stores, objects, database });
    }
    kernels
}

#[tokio::test(flavor = "multi_thread")]
async fn another_kernel_gets_a_long_result_in_parts() {
    for kernels in kernels(usize::MAX).await {
        let Kernels { here, there, stores, objects, database } = &kernels;
        // Two full parts, and a last one whose last chunk is not full.
        let long = "zwölf lines\n".repeat(1_300_000);
        let id = keep(here, &long).await;
        let short = keep(here, &"x".repeat(1000)).await;
        let (object, bytes) = kernels.object().await;
        let chunks = long.len().div_ceil(STORED_CHUNK - 16);
        assert_eq!(bytes.len(), long.len() + 16 * chunks, "{}", database.engine);
        assert!(text(&there.find(&ann(), &id).await.unwrap()) == long);
        assert_eq!(text(&there.find(&ann(), &short).await.unwrap()), "x".repeat(1000));
        objects.delete(&object.location).await.unwrap();
        stores[1].left.store(0, Relaxed);
        assert!(there.find(&ann(), &id).await.is_ok(), "it has a copy");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn few_chunks_of_few_objects_are_in_memory() {
    for kernels in kernels(usize::MAX).await {
        let Kernels { here, stores, .. } = &kernels;
        let long = "x".repeat(usize::try_from(PART).unwrap() * STORED_CHUNK + 1);
        join_all((0..8).map(|_| keep(here, &long))).await;
        let [now, most, chunks] = &*stores[0].uploads;
        assert_eq!((now.load(Relaxed), chunks.load(Relaxed)), (0, 128));
        assert!((2..=4).contains(&most.load(Relaxed)), "{most:?}");
        assert_eq!(kernels.list().await.len(), 8);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_object_reveals_nothing_and_only_its_owner_finds_it() {
    for kernels in kernels(usize::MAX).await {
        let Kernels { here, there, .. } = &kernels;
        let id = keep(here, &"the secret data ".repeat(10_000)).await;
        let (object, bytes) = kernels.object().await;
        let name = object.location.as_ref();
        assert!(name.starts_with("mgp/") && name.len() == 4 + 64, "{name}");
        let digits = id.trim_start_matches("ref-");
        for hidden in ["secret", "agent.ann", "text/plain", &digits[..8]] {
            assert!(
                !name.contains(hidden) && !bytes.windows(hidden.len()).any(|part| part == hidden.as_bytes())
            );
        }
        for other in [Principal::agent("agent.bob"), ann().on_behalf_of(["agent.bob"])] {
            let (code, problem) = message(there.find(&other, &id).await);
            assert!(code == 4004 && problem.contains("unknown reference"), "{problem}");
        }
        assert!(there.find(&ann(), &id).await.is_ok());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_forged_or_shortened_object_is_an_error() {
    let long = "a long result ".repeat(20_000);
    for kernels in kernels(usize::MAX).await {
        let Kernels { here, there, objects, .. } = &kernels;
        let id = keep(here, &long).await;
        let (object, bytes) = kernels.object().await;
        let mut forged = bytes.clone();
        forged[STORED_CHUNK + 5] ^= 1;
        let mut exchanged = bytes.clone();
        exchanged.rotate_left(STORED_CHUNK);
        for (content, expected) in [
            (forged, "the data was changed"),
            (exchanged, "the data was changed"),
            (bytes[..bytes.len() - 1].to_vec(), "the data was changed"),
            (bytes[..STORED_CHUNK].to_vec(), "a part of its data is missing"),
            (Vec::new(), "a part of its data is missing"),
        ] {
            kernels.put(&object, content).await;
            let (code, problem) = message(there.find(&ann(), &id).await);
            assert!(code == -32603 && problem.contains(expected), "{code} {problem}");
        }
        objects.delete(&object.location).await.unwrap();
        let (code, problem) = message(there.find(&ann(), &id).await);
        assert!(code == -32603 && problem.contains("a part of its data is missing"), "{code} {problem}");
        kernels.put(&object, bytes).await;
        assert!(text(&there.find(&ann(), &id).await.unwrap()) == long);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failed_upload_leaves_a_result_to_its_kernel() {
    let long = "x".repeat(usize::try_from(PART).unwrap() * STORED_CHUNK + 1);
    // The store ends before the object, its first part, its last part, and its end.
    for left in 1..5 {
        for kernels in kernels(left).await {
            let Kernels { here, there, .. } = &kernels;
            let id = keep(here, &long).await;
            assert!(text(&here.find(&ann(), &id).await.unwrap()) == long);
            let (code, problem) = message(there.find(&ann(), &id).await);
            assert!(code == 4004 && problem.contains("its data could not be stored"), "{left}: {problem}");
            assert!(kernels.list().await.is_empty());
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_call_leaves_no_object() {
    for kernels in kernels(usize::MAX).await {
        let Kernels { here, stores, .. } = &kernels;
        let (owner, content) = (ann(), Content::text("x".repeat(64 << 20), "text/plain"));
        let mut keeping = Box::pin(here.keep(&owner, "crm.example", content));
        let is_uploading = || stores[0].uploads[2].load(Relaxed) > 0;
        while !is_uploading() {
            assert!(futures_util::poll!(&mut keeping).is_pending());
            tokio::task::yield_now().await;
        }
        drop(keeping);
        assert!(kernels.list().await.is_empty());
        let caller = super::super::facts::caller(&ann());
        xtask_testing::until_some(async || {
            (stores[1].totals(caller).await.unwrap().results == 0).then_some(())
        })
        .await;
        assert!(!stores[1].sweep_objects().await.unwrap());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kernel_without_objects_says_which_setting_it_lacks() {
    for Kernels { here, database, .. } in kernels(usize::MAX).await {
        let there = kernel(CountedStore::new(&database.there, usize::MAX), bounds()).await;
        let id = keep(&here, &"x".repeat(1001)).await;
        let (code, problem) = message(there.find(&ann(), &id).await);
        assert!(code == 3001 && problem.contains("no references.object_store"), "{code} {problem}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_of_objects_that_is_away_is_tried_again() {
    for kernels in kernels(usize::MAX).await {
        let Kernels { here, there, stores, .. } = &kernels;
        let id = keep(here, &"x".repeat(1001)).await;
        // The row is found, and its object is not.
        stores[1].left.store(1, Relaxed);
        let (code, problem) = message(there.find(&ann(), &id).await);
        assert!(code == 3001 && problem.contains("cannot be fetched from the store now"), "{code} {problem}");
        stores[1].left.store(usize::MAX, Relaxed);
        assert!(there.find(&ann(), &id).await.is_ok());
    }
}
