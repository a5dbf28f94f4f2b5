//! Tests of a store that several processes share.

use super::support::*;
use crate::idempotency::{
    Claim, EntryState, IdempotencyStore, Outcome, SqlIdempotencyStore, entry::arguments_digest,
};
use jiff::{SignedDuration, Timestamp};
use std::{path::Path, sync::Arc};
use tower::ServiceExt;
use xtask_testing::{until_some, within};

/// Opens a store as another process does.
async fn open(shared: &SharedStore) -> Arc<dyn IdempotencyStore> {
    Arc::new(shared.open().await)
}

#[tokio::test]
async fn a_process_waits_for_the_call_of_another_one() {
    for shared in SharedStore::each().await {
        let (here, there) = (CountingServer::held(), CountingServer::held());
        let (one, other) = (serve(&open(&shared).await, &here), serve(&open(&shared).await, &there));
        let first = tokio::spawn(one.clone().oneshot(keyed("k", "{}").identified()));
        here.until_reached(1).await;
        let waiting: Vec<_> =
            (0..8).map(|_| tokio::spawn(other.clone().oneshot(keyed("k", "{}").identified()))).collect();
        let conflict = call(&other, keyed("k", "[1]")).await;
        assert!(problem(&conflict).contains("IDEMPOTENCY_CONFLICT"), "{}", problem(&conflict));
        here.gate.add_permits(1);
        assert_eq!(was_replay(&within(first).await.unwrap().unwrap()), Some(false));
        for reply in waiting {
            assert_eq!(was_replay(&within(reply).await.unwrap().unwrap()), Some(true));
        }
        assert_eq!((here.reached(), there.reached()), (1, 0));
    }
}

#[tokio::test]
async fn a_call_of_a_dead_process_is_unknown_to_all() {
    for shared in SharedStore::each().await {
        let (here, there) = (CountingServer::held(), CountingServer::new());
        let (gone, other) = (open(&shared).await, serve(&open(&shared).await, &there));
        let next = serve(&open(&shared).await, &here);
        // Claimed without the layer, as by a process that is killed after the claim.
        gone.claim(entry("k", Timestamp::now(), 1), settings().bounds).await.unwrap();
        // A waiting call checks every second.
        tokio::time::pause();
        let waiting = tokio::spawn(other.clone().oneshot(keyed("k", "{}").identified()));
        tokio::task::yield_now().await;
        drop(gone);
        let reply = within(waiting).await.unwrap().unwrap();
        tokio::time::resume();
        assert!(problem(&reply).contains("is unknown"), "{}", problem(&reply));
        let reply = call(&next, keyed("k", "{}")).await;
        assert!(problem(&reply).contains("is unknown"), "{}", problem(&reply));
        assert_eq!((here.reached(), there.reached()), (0, 0));
    }
}

#[tokio::test]
async fn answers_outlive_their_process() {
    for shared in SharedStore::each().await {
        let server = CountingServer::new();
        for replay in [false, true, true] {
            let service = serve(&open(&shared).await, &server);
            assert_eq!(was_replay(&call(&service, keyed("k", "{}")).await), Some(replay));
        }
        assert_eq!(server.reached(), 1);
        // A store is dropped only when the sweep that its layer began has ended, so its mark may stay for a moment.
        until_some(async || (shared.marks().await == 0).then_some(())).await;
    }
}

#[cfg(unix)]
#[test]
fn only_the_user_can_read_kept_answers() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("keys.sqlite3");
    let _store = SqlIdempotencyStore::open(&path).unwrap();
    for file in ["keys.sqlite3", "keys.sqlite3-wal", "keys.sqlite3-shm"] {
        let mode = std::fs::metadata(folder.path().join(file)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{file}");
    }
    assert!(SqlIdempotencyStore::open(folder.path().join("no folder/keys.sqlite3")).is_err());
}

#[tokio::test]
async fn an_unstored_end_is_settled_by_the_next_sweep_or_call() {
    for shared in SharedStore::each().await {
        let (store, tables, now) = (open(&shared).await, shared.tables().await, Timestamp::now());
        let entry = |key: &str| entry(key, now, 1);
        let state = async |key: &str| match store.claim(entry(key), settings().bounds).await.unwrap() {
            Claim::Exists(entry) => Some(entry.state),
            _ => None,
        };
        for key in ["sent", "unsent"] {
            assert_eq!(store.claim(entry(key), settings().bounds).await.unwrap(), Claim::New);
        }
        let (full, free) = ("ALTER TABLE entries RENAME TO kept", "ALTER TABLE kept RENAME TO entries");
        rows(&tables, full).await;
        store.keep(&entry("sent").id, Outcome::Unknown, settings().bounds).await.unwrap_err();
        store.release(&entry("unsent").id).await.unwrap_err();
        store.sweep(now).await.unwrap_err();
        rows(&tables, free).await;
        store.sweep(now).await.unwrap();
        assert_eq!(state("sent").await, Some(EntryState::Unknown));
        assert_eq!(state("unsent").await, None, "it was not sent, so its key is free");
        // A caller that comes before the sweep also gets the true outcome, even if the store fails again meanwhile.
        store.claim(entry("early"), settings().bounds).await.unwrap();
        rows(&tables, full).await;
        store.release(&entry("early").id).await.unwrap_err();
        store.keep(&entry("early").id, Outcome::Unknown, settings().bounds).await.unwrap_err();
        rows(&tables, free).await;
        assert_eq!(state("early").await, None, "its key is free, and claimed anew");
        assert_eq!(state("early").await, Some(EntryState::Pending { here: true }));
        // A settled entry is not touched again.
        store.sweep(now).await.unwrap();
        assert_eq!(state("unsent").await, Some(EntryState::Pending { here: true }));
    }
}

/// Writes a file as an earlier version of the tables did.
fn write_earlier(path: &Path, version: usize, expires_at: i64) {
    let file = rusqlite::Connection::open(path).unwrap();
    file.execute_batch(SqlIdempotencyStore::SCHEMA.sqlite[0]).unwrap();
    for (principal, key, answer) in [
        (r#"["ann"]"#, "k", r#"{"content":[]}"#),
        (r#"["ann","bob"]"#, "k", r#"{"content":[1]}"#),
        (r#"["eve"]"#, "k", "{}"),
        ("no list", "k", "{}"),
    ] {
        let sql = "INSERT INTO entries (principal, server_id, tool_name, key, arguments, state, answer, owner, made_at, expires_at) \
                   VALUES (?, 's', 't', ?, ?, 'done', ?, 'gone', 0, ?)";
        let arguments = arguments_digest(&keyed("k", "{}").identified());
        file.execute(sql, rusqlite::params![principal, key, arguments, answer, expires_at]).unwrap();
    }
    for step in &SqlIdempotencyStore::SCHEMA.sqlite[1..version] {
        file.execute_batch(step).unwrap();
    }
    file.pragma_update(None, "user_version", i64::try_from(version).unwrap()).unwrap();
}

#[tokio::test]
async fn a_file_of_an_earlier_version_is_counted_by_caller() {
    for version in [1, 2] {
        counted_by_caller(version).await;
    }
}

async fn counted_by_caller(version: usize) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("keys.sqlite3");
    let expires_at = (Timestamp::now() + SignedDuration::from_hours(1)).as_microsecond();
    write_earlier(&path, version, expires_at);
    drop(SqlIdempotencyStore::open(&path).unwrap());
    let file = rusqlite::Connection::open(&path).unwrap();
    let mut sums = file.prepare("SELECT caller, entries, bytes FROM sums ORDER BY caller").unwrap();
    let sums: Vec<(String, i64, i64)> = sums
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap();
    let expected = [("ann", 2, 29), ("eve", 1, 2), ("no list", 1, 2)];
    assert_eq!(sums, expected.map(|(caller, entries, bytes)| (caller.to_owned(), entries, bytes)));
    let store: Arc<dyn IdempotencyStore> = Arc::new(SqlIdempotencyStore::open(&path).unwrap());
    let service = serve(&store, &CountingServer::new());
    assert_eq!(was_replay(&call(&service, keyed("k", "{}")).await), Some(true), "what was kept is replayed");
    assert_eq!(was_replay(&call(&service, keyed("l", "{}")).await), Some(false));
    let full = call(&service, keyed("m", "{}")).await;
    assert!(problem(&full).contains("3 idempotency keys"), "{}", problem(&full));
}
