//! Results whose data is in rows.

use super::{
    super::super::{References, content::Content, keep_error::KeepError},
    support::{CountedStore, ORIGIN, ann, keep, kernel, message, text},
};
use crate::ground::reference_store::SqlReferenceStore;
use mgp_discovery::config::ReferencesConfig;
use mgp_store::sql::{Connection, Database, SqlStore, Value};
use mgp_types::{context::Principal, json::RawJson};
use std::{
    sync::{Arc, atomic::Ordering::Relaxed},
    time::Duration,
};
use xtask_testing::{SharedDatabase, databases, until_some};

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

#[tokio::test(start_paused = true)]
async fn every_minute_expired_results_and_objects_are_removed() {
    let store = CountedStore::over(Arc::new(SqlReferenceStore::in_memory()), usize::MAX);
    let kernel = kernel(store.clone(), ReferencesConfig::default()).await;
    for minute in 0..3 {
        assert!(store.sweeps.iter().all(|sweeps| sweeps.load(Relaxed) == minute), "{:?}", store.sweeps);
        // The clock is paused, and goes on by itself.
        tokio::time::sleep(Duration::from_secs(61)).await;
        while store.sweeps[1].load(Relaxed) == minute {
            tokio::task::yield_now().await;
        }
    }
    drop(kernel);
}
