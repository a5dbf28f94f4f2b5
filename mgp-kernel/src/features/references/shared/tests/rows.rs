//! Results that two kernels share.

use super::super::{ReferenceSettings, References, content::Content, data::KeptData, keep_error::KeepError};
use crate::ground::reference_store::{
    KeptTotals, NewReference, ReferenceName, ReferenceStore, RoomBounds, RoomShortage, SqlReferenceStore,
    StoredReference,
};
use async_trait::async_trait;
use mgp_discovery::config::ReferencesConfig;
use mgp_security::access::{AccessControl, SqlAccessStore};
use mgp_store::{
    StoreError,
    sql::{Connection, Database, SqlStore, Value},
};
use mgp_toolindex::tokens::Cl100k;
use mgp_types::{context::Principal, json::RawJson, rpc::ErrorObject};
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering::Relaxed},
};
use xtask_testing::{SharedDatabase, databases, until_some};

/// The server of the results.
const ORIGIN: &str = "crm.example";

/// A store that answers a number of requests, and is away then.
#[derive(Debug)]
struct CountedStore {
    store: SqlReferenceStore,
    left: AtomicUsize,
}

impl CountedStore {
    fn new(database: &Database, left: usize) -> Arc<Self> {
        Arc::new(Self { store: SqlReferenceStore::new(database.clone()), left: left.into() })
    }

    fn ask(&self) -> Result<&SqlReferenceStore, StoreError> {
        let asked = self.left.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1));
        asked.map_or_else(|_| Err(StoreError::new("nobody answers")), |_| Ok(&self.store))
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

    async fn remove(&self, name: ReferenceName) -> Result<(), StoreError> {
        self.store.remove(name).await
    }

    async fn sweep(&self) -> Result<bool, StoreError> {
        self.store.sweep().await
    }
}

async fn kernel(store: Arc<CountedStore>, bounds: ReferencesConfig) -> Arc<References> {
    let access = AccessControl::open(Arc::new(SqlAccessStore::in_memory())).await.unwrap();
    let settings = ReferenceSettings { bounds, ..ReferenceSettings::default() };
    References::new(settings, Arc::new(Cl100k), access, Some(store))
}

/// Two kernels on one database, and the second one's store.
struct Kernels {
    here: Arc<References>,
    there: Arc<References>,
    store: Arc<CountedStore>,
    database: SharedDatabase,
}

/// Returns kernels on a database of each engine. The store of the first one answers a number of requests.
async fn kernels(left: usize) -> Vec<Kernels> {
    let mut kernels = Vec::new();
    for database in databases(SqlReferenceStore::SCHEMA).await {
        let here = kernel(CountedStore::new(&database.here, left), ReferencesConfig::default()).await;
        let store = CountedStore::new(&database.there, usize::MAX);
        let there = kernel(store.clone(), ReferencesConfig::default()).await;
        kernels.push(Kernels { here, there, store, database });
    }
    kernels
}

fn ann() -> Principal {
    Principal::agent("agent.ann")
}

async fn keep(kernel: &References, text: &str) -> String {
    kernel.keep(&ann(), ORIGIN, Content::text(text.to_owned(), "text/plain")).await.unwrap().ref_id
}

fn text(data: &KeptData) -> String {
    let length = usize::try_from(data.spool.length()).unwrap();
    String::from_utf8(data.spool.read(0, length).unwrap()).unwrap()
}

fn message(found: Result<Arc<KeptData>, ErrorObject>) -> (i64, String) {
    let error = found.unwrap_err();
    (error.code, error.message)
}

/// Returns the content of all rows of both tables.
async fn stored(database: &Database) -> Vec<u8> {
    let read = |connection: &Connection<'_>| {
        let mut all = Vec::new();
        for (table, columns) in
            [("kept_results", &["name", "caller", "facts"][..]), ("kept_chunks", &["name", "content"][..])]
        {
            for row in connection.rows(&format!("SELECT * FROM {table}"), &[])? {
                for column in columns {
                    let Value::Bytes(bytes) = row.value(column).unwrap() else { panic!("{column}") };
                    all.extend_from_slice(bytes);
                }
            }
        }
        Ok(all)
    };
    database.read(read).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn another_kernel_gets_the_same_data_and_fetches_it_once() {
    for Kernels { here, there, store, database } in kernels(usize::MAX).await {
        // More than one batch of chunks, and a last one that is not full.
        let long = "zwölf lines\n".repeat(75_000);
        let json = r#"{"rows":[1,2]}"#;
        let content = Content::json(RawJson::parse(json.to_owned()).unwrap(), "application/json");
        let kept = [
            here.keep(&ann(), ORIGIN, Content::text(long.clone(), "text/csv")).await.unwrap(),
            here.keep(&ann(), ORIGIN, content).await.unwrap(),
            here.keep(&ann(), ORIGIN, Content::text(String::new(), "text/plain")).await.unwrap(),
        ];
        for (reference, expected) in kept.iter().zip([long.as_str(), json, ""]) {
            let made = here.find(&ann(), &reference.ref_id).await.unwrap();
            let found = there.find(&ann(), &reference.ref_id).await.unwrap();
            assert!(text(&found) == expected, "{}", database.engine);
            assert_eq!((&found.reference, found.form), (reference, made.form));
        }
        drop(here);
        store.left.store(0, Relaxed);
        assert!(there.find(&ann(), &kept[0].ref_id).await.is_ok(), "it has a copy");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_of_a_result_can_be_read_in_the_database() {
    for Kernels { here, there, database, .. } in kernels(usize::MAX).await {
        let id = keep(&here, &"the secret data ".repeat(10_000)).await;
        let rows = stored(&database.here).await;
        assert!(rows.len() > 160_000);
        let digits = id.trim_start_matches("ref-");
        for hidden in ["secret", "agent.ann", "text/plain", ORIGIN, &digits[..8], &digits[8..16]] {
            let is_there = rows.windows(hidden.len()).any(|part| part == hidden.as_bytes());
            assert!(!is_there, "{} has {hidden:?}", database.engine);
        }
        // Data that somebody changed is not given to anybody.
        let change = |connection: &Connection<'_>| {
            connection.execute("UPDATE kept_chunks SET content = (SELECT content FROM kept_chunks WHERE chunk = 1) WHERE chunk = 0", &[])
        };
        database.here.write(change).await.unwrap();
        let (code, problem) = message(there.find(&ann(), &id).await);
        assert!(code == -32603 && problem.contains("the data was changed"), "{code} {problem}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn only_the_same_owner_finds_a_result_elsewhere() {
    for Kernels { here, there, .. } in kernels(usize::MAX).await {
        let id = keep(&here, "for ann").await;
        let digits = id.trim_start_matches("ref-");
        let (first, rest) = digits.split_at(8);
        let absent = format!("ref-{first}{}", rest.chars().rev().collect::<String>());
        let unknown = message(there.find(&ann(), &absent).await);
        assert!(unknown.1.contains("unknown reference"), "{unknown:?}");
        for other in [
            Principal::agent("agent.bob"),
            Principal::operator("agent.ann"),
            ann().on_behalf_of(["agent.bob"]),
            ann().narrowed_to(mgp_types::context::KeyScopes::new("ci", "read:crm")),
        ] {
            assert_eq!(message(there.find(&other, &id).await), unknown, "{other:?}");
            assert_eq!(message(here.find(&other, &id).await), unknown, "{other:?}");
        }
        assert!(there.find(&ann(), &id).await.is_ok());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn without_the_store_only_the_kernel_that_made_a_result_has_it() {
    // The store ends before the row of a result, and before its data.
    for (left, problem) in [(0, "unknown reference"), (1, "its data could not be stored")] {
        for Kernels { here, there, store, .. } in kernels(left).await {
            if left == 0 {
                here.check_room(&ann()).await.unwrap();
            }
            let id = keep(&here, "kept here").await;
            assert_eq!(text(&here.find(&ann(), &id).await.unwrap()), "kept here");
            let (code, found) = message(there.find(&ann(), &id).await);
            assert!(code == 4004 && found.contains(problem), "{found}");
            store.left.store(0, Relaxed);
            let (code, found) = message(there.find(&ann(), &id).await);
            assert!(code == 3001 && found.contains("nobody answers"), "{code} {found}");
            let (_, found) = message(there.find(&ann(), "ref-1").await);
            assert!(
                found.contains("unknown reference"),
                "the store is not asked about a text that is not an id: {found}"
            );
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_result_whose_call_was_cancelled_leaves_nothing() {
    for Kernels { here, database, .. } in kernels(usize::MAX).await {
        let rows = async || stored(&database.there).await.len();
        let (owner, content) = (ann(), Content::text("x".repeat(1 << 20), "text/plain"));
        let mut keeping = Box::pin(here.keep(&owner, ORIGIN, content));
        // Until the result is in the database.
        while rows().await == 0 {
            assert!(futures_util::poll!(&mut keeping).is_pending());
        }
        drop(keeping);
        until_some(async || (rows().await == 0).then_some(())).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_copy_needs_room_too() {
    for Kernels { here, database, .. } in kernels(usize::MAX).await {
        let bounds = ReferencesConfig { max_bytes: 100, ..ReferencesConfig::default() };
        let there = kernel(CountedStore::new(&database.there, usize::MAX), bounds).await;
        let id = keep(&here, &"x".repeat(101)).await;
        let (code, problem) = message(there.find(&ann(), &id).await);
        assert!(code == 3001 && problem.contains("references.max_bytes"), "{code} {problem}");
        let full = there.keep(&ann(), ORIGIN, Content::text("y".to_owned(), "text/plain")).await;
        assert!(matches!(full, Err(KeepError::NoRoom(_))), "the first result counts at both");
    }
}
