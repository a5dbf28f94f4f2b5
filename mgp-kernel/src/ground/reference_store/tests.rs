//! The store of kept results, with each engine.

use super::*;
use mgp_store::sql::{Connection, Database, SqlStore, params};
use std::time::Duration;
use xtask_testing::{SharedDatabase, databases};

const BOUNDS: RoomBounds = RoomBounds { results: 100, bytes: 1000, total_results: 200, total_bytes: 2000 };
const TTL: Duration = Duration::from_secs(3600);
const ANN: [u8; 32] = [1; 32];
const BOB: [u8; 32] = [2; 32];

/// Returns the stores of two kernels on one database of each engine.
async fn stores() -> Vec<([SqlReferenceStore; 2], SharedDatabase)> {
    let of = |database: SharedDatabase| {
        let [here, there] = [&database.here, &database.there].map(Database::clone);
        ([here, there].map(SqlReferenceStore::new), database)
    };
    databases(SqlReferenceStore::SCHEMA).await.into_iter().map(of).collect()
}

fn result(name: u8, caller: [u8; 32], bytes: u64) -> NewReference {
    NewReference { name: [name; 32], caller, bytes, ttl: TTL, facts: vec![name, 0, 255], is_object: false }
}

async fn add(store: &SqlReferenceStore, result: NewReference) -> Result<(), RoomShortage> {
    store.add(result, BOUNDS).await.unwrap()
}

/// Returns the number of rows of a table.
async fn rows(database: &Database, table: &'static str) -> i64 {
    let count = move |connection: &Connection<'_>| {
        let row = connection.row(&format!("SELECT count(*) AS rows FROM {table}"), &[])?;
        Ok(row.unwrap().needed_integer("rows").unwrap())
    };
    database.read(count).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_result_of_one_kernel_is_found_by_another_one() {
    for ([here, there], database) in stores().await {
        add(&here, result(1, ANN, 300)).await.unwrap();
        let found = there.find([1; 32]).await.unwrap().unwrap();
        assert_eq!((found.facts, found.chunks), (vec![1, 0, 255], 0), "{}", database.engine);
        assert!(found.expires_in <= TTL && found.expires_in > TTL / 2);
        let chunks = |chunks: &[u8]| chunks.iter().map(|chunk| vec![*chunk; 100]).collect::<Vec<_>>();
        assert!(here.append([1; 32], chunks(&[7, 8, 9])).await.unwrap());
        assert!(here.append([1; 32], chunks(&[10])).await.unwrap());
        assert_eq!(there.find([1; 32]).await.unwrap().unwrap().chunks, 4);
        assert_eq!(there.chunks([1; 32], 1, 2).await.unwrap(), chunks(&[8, 9]));
        assert_eq!(there.chunks([1; 32], 3, 16).await.unwrap(), chunks(&[10]));
        assert_eq!(there.find([2; 32]).await.unwrap(), None);
        there.remove([1; 32]).await.unwrap();
        assert_eq!(here.find([1; 32]).await.unwrap(), None);
        assert!(!here.append([1; 32], chunks(&[1])).await.unwrap(), "it was removed");
        assert_eq!(rows(&database.here, "kept_chunks").await, 0);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn bounds_hold_for_each_caller_and_for_all() {
    for ([here, there], _database) in stores().await {
        assert_eq!(here.totals(ANN).await.unwrap(), KeptTotals::default());
        add(&here, result(1, ANN, 600)).await.unwrap();
        add(&there, result(2, ANN, 400)).await.unwrap();
        let shortage = add(&here, result(3, ANN, 1)).await.unwrap_err();
        assert_eq!((shortage.key, shortage.whom), ("references.max_bytes", "this agent"));
        assert!(shortage.kept == "1000 of 1000 bytes" && shortage.free_in.is_some_and(|left| left <= TTL));
        add(&there, result(4, BOB, 999)).await.unwrap();
        let totals = here.totals(BOB).await.unwrap();
        assert_eq!((totals.results, totals.bytes), (1, 999));
        assert_eq!((totals.total_results, totals.total_bytes), (3, 1999));
        let shortage = add(&there, result(5, [3; 32], 2)).await.unwrap_err();
        assert_eq!((shortage.key, shortage.free_in), ("references.max_total_bytes", None));
        add(&there, result(5, [3; 32], 1)).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn kernels_that_add_at_once_do_not_exceed_a_bound() {
    for (stores, database) in stores().await {
        let adding: Vec<_> = (0..20)
            .map(|name| {
                let store = stores[usize::from(name) % 2].clone();
                let bounds = RoomBounds { results: 5, ..BOUNDS };
                tokio::spawn(async move { store.add(result(name, ANN, 1), bounds).await.unwrap() })
            })
            .collect();
        let mut added = 0;
        for one in adding {
            match one.await.unwrap() {
                Ok(()) => added += 1,
                Err(shortage) => assert_eq!(shortage.key, "references.max_results"),
            }
        }
        assert_eq!((added, rows(&database.here, "kept_results").await), (5, 5), "{}", database.engine);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn expired_results_are_unknown_free_their_room_and_are_removed() {
    for ([here, there], database) in stores().await {
        let bounds =
            RoomBounds { results: 1000, bytes: u64::MAX, total_results: 1000, total_bytes: u64::MAX };
        for name in 0..70 {
            let added = here.add(result(name, ANN, 10), bounds).await.unwrap();
            assert!(added.is_ok() && here.append([name; 32], vec![vec![name]]).await.unwrap());
        }
        let expire = |connection: &Connection<'_>| {
            let sql = "UPDATE kept_results SET expires_at = expires_at - $1 WHERE name <> $2";
            connection.execute(sql, &params![3_600_000_000_i64, &[9_u8; 32][..]])
        };
        database.there.write(expire).await.unwrap();
        assert_eq!(there.find([0; 32]).await.unwrap(), None);
        assert!(!here.append([0; 32], vec![vec![1]]).await.unwrap());
        assert_eq!(
            (here.totals(ANN).await.unwrap().results, there.totals(ANN).await.unwrap().bytes),
            (1, 10)
        );
        assert!(there.sweep().await.unwrap(), "more than 64 are not removed at once");
        assert!(!there.sweep().await.unwrap());
        assert!(here.find([9; 32]).await.unwrap().is_some());
        for table in ["kept_results", "kept_chunks"] {
            assert_eq!(rows(&database.here, table).await, 1, "{} {table}", database.engine);
        }
    }
}
