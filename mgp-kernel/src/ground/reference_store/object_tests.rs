//! The store of kept results with objects, with each engine.

use super::*;
use futures_util::StreamExt;
use mgp_store::{
    objects::{
        ObjectFolder,
        object_store::{ObjectStore, ObjectStoreExt, memory::InMemory},
    },
    sql::{Connection, Database, SqlStore, params},
};
use std::{sync::Arc, task::Poll, time::Duration};
use xtask_testing::{SharedDatabase, databases};

const CALLER: [u8; 32] = [1; 32];
const BOUNDS: RoomBounds =
    RoomBounds { results: 1000, bytes: u64::MAX, total_results: 1000, total_bytes: u64::MAX };

/// A store on one database of each engine, with its objects.
async fn stores() -> Vec<(ObjectReferenceStore, InMemory, SharedDatabase)> {
    let of = |database: SharedDatabase| {
        let objects = InMemory::new();
        let folder = ObjectFolder::new(Arc::new(objects.clone()), "s3://kept/mgp").unwrap();
        (ObjectReferenceStore::new(SqlReferenceStore::new(database.here.clone()), folder), objects, database)
    };
    databases(SqlReferenceStore::SCHEMA).await.into_iter().map(of).collect()
}

async fn add(store: &ObjectReferenceStore, name: u8, is_object: bool) {
    let ttl = Duration::from_secs(3600);
    let result =
        NewReference { name: [name; 32], caller: CALLER, bytes: 10, ttl, facts: vec![name], is_object };
    store.add(result, BOUNDS).await.unwrap().unwrap();
}

async fn add_object(store: &ObjectReferenceStore, name: u8) {
    add(store, name, true).await;
    let mut upload = store.upload([name; 32]).await.unwrap();
    upload.append(vec![vec![name; STORED_CHUNK], vec![name; 7]]).await.unwrap();
    assert!(upload.finish().await.unwrap());
}

async fn count(objects: &InMemory) -> usize {
    objects.list(None).count().await
}

/// Lets the results whose names are less than one expire, for a time in microseconds.
async fn expire(database: &Database, before: u8, for_micros: i64) {
    let expire = move |connection: &Connection<'_>| {
        let sql = "UPDATE kept_results SET expires_at = expires_at - $1 WHERE name < $2";
        connection.execute(sql, &params![3_600_000_000_i64 + for_micros, &[before; 32][..]])
    };
    database.write(expire).await.unwrap();
}

async fn rows(store: &ObjectReferenceStore, database: &Database) -> (usize, i64) {
    let count = move |connection: &Connection<'_>| {
        let row = connection.row("SELECT count(*) AS rows FROM kept_results", &[])?;
        Ok(row.unwrap().needed_integer("rows").unwrap())
    };
    (store.totals(CALLER).await.unwrap().results, database.read(count).await.unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_row_says_that_its_object_is_there_once_it_is() {
    for (store, objects, database) in stores().await {
        add(&store, 1, true).await;
        let mut upload = store.upload([1; 32]).await.unwrap();
        upload.append(vec![vec![5; STORED_CHUNK]; 3]).await.unwrap();
        let found = async || store.find([1; 32]).await.unwrap().unwrap();
        assert_eq!((found().await.is_object, found().await.chunks), (true, 0), "{}", database.engine);
        assert!(store.object_chunks([1; 32], 0, 9).await.unwrap().is_empty());
        upload.append(vec![vec![6; 1]]).await.unwrap();
        let mut finish = upload.finish();
        let first = futures_util::poll!(&mut finish);
        assert_eq!(count(&objects).await, 1, "the object is there before its row says so");
        let is_kept = match first {
            Poll::Ready(is_kept) => is_kept,
            Poll::Pending => finish.await,
        };
        assert!(is_kept.unwrap());
        assert_eq!(found().await.chunks, 4);
        let chunks = store.object_chunks([1; 32], 2, 9).await.unwrap();
        assert_eq!(chunks, [vec![5; STORED_CHUNK], vec![6; 1]]);
        assert_eq!(store.object_chunks([1; 32], 1, 1).await.unwrap(), [vec![5; STORED_CHUNK]]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn expired_objects_are_removed_in_bounded_steps() {
    for (store, objects, database) in stores().await {
        for name in 0..70 {
            add_object(&store, name).await;
        }
        // One object is gone, and one was never there.
        let gone = objects.list(None).next().await.unwrap().unwrap();
        objects.delete(&gone.location).await.unwrap();
        add(&store, 70, true).await;
        assert!(!store.sweep_objects().await.unwrap(), "nothing has expired");
        assert_eq!(count(&objects).await, 69, "{}", database.engine);
        expire(&database.here, 69, 0).await;
        assert!(!store.sweep().await.unwrap());
        assert_eq!(rows(&store, &database.here).await, (2, 71), "rows stay as long as their objects");
        assert!(store.sweep_objects().await.unwrap(), "more than 64 are not removed at once");
        assert!(!store.sweep_objects().await.unwrap());
        assert_eq!(count(&objects).await, 1);
        assert_eq!(rows(&store, &database.here).await, (2, 2));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_result_that_expires_during_its_upload_leaves_no_object() {
    for (store, objects, database) in stores().await {
        add(&store, 1, true).await;
        let mut upload = store.upload([1; 32]).await.unwrap();
        upload.append(vec![vec![1; 9]]).await.unwrap();
        store.remove([1; 32]).await.unwrap();
        assert_eq!(rows(&store, &database.here).await, (0, 1), "{}", database.engine);
        assert!(!store.sweep_objects().await.unwrap());
        assert_eq!(rows(&store, &database.here).await, (0, 0));
        assert!(!upload.finish().await.unwrap());
        assert_eq!(count(&objects).await, 0);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_whose_objects_nobody_removes_end_a_day_later() {
    for (store, _objects, database) in stores().await {
        add_object(&store, 1).await;
        add(&store, 2, false).await;
        expire(&database.here, 3, 86_000_000_000).await;
        // A kernel whose configuration has no objects any more.
        let rows_only = SqlReferenceStore::new(database.there.clone());
        assert!(!rows_only.sweep().await.unwrap());
        assert_eq!(rows(&store, &database.here).await, (0, 1), "{}", database.engine);
        expire(&database.here, 3, 500_000_000).await;
        assert!(!rows_only.sweep().await.unwrap());
        assert_eq!(rows(&store, &database.here).await, (0, 0));
    }
}
