//! Tests of a file that several processes share.

use super::support::*;
use crate::idempotency::{
    Claim, EntryId, EntryState, IdempotencyStore, NewEntry, Outcome, SqliteIdempotencyStore,
    entry::arguments_digest,
};
use mgp_store::sqlite::set_lock_timeout;
use std::{path::Path, sync::Arc, time::Duration};
use tower::ServiceExt;
use xtask_testing::{until, within};

/// Opens a file as another process does.
fn open(path: &Path) -> Arc<dyn IdempotencyStore> {
    // On a busy machine, the other process may keep the file for longer than usual.
    set_lock_timeout(Duration::from_secs(120));
    Arc::new(SqliteIdempotencyStore::open(path).unwrap())
}

#[tokio::test]
async fn a_process_waits_for_the_call_of_another_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("keys.sqlite3");
    let (here, there) = (CountingServer::held(), CountingServer::held());
    let (one, other) = (serve(&open(&path), &here), serve(&open(&path), &there));
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

#[tokio::test(start_paused = true)]
async fn a_call_of_a_dead_process_is_unknown_to_all() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("keys.sqlite3");
    let (here, there) = (CountingServer::held(), CountingServer::new());
    let (gone, other) = (open(&path), serve(&open(&path), &there));
    // Claimed without the layer, as by a process that is killed after the claim.
    let id = EntryId::of(
        &keyed("k", "{}").identified(),
        &mgp_types::idempotency::IdempotencyKey::new("k").unwrap(),
    );
    let now = jiff::Timestamp::now();
    let arguments = arguments_digest(&keyed("k", "{}").identified());
    let expires_at = now + jiff::SignedDuration::from_hours(1);
    let new = NewEntry { id, caller: "ann".to_owned(), arguments, made_at: now, expires_at };
    gone.claim(new, settings().bounds).await.unwrap();
    let waiting = tokio::spawn(other.clone().oneshot(keyed("k", "{}").identified()));
    tokio::task::yield_now().await;
    drop(gone);
    let reply = within(waiting).await.unwrap().unwrap();
    assert!(problem(&reply).contains("is unknown"), "{}", problem(&reply));
    let next = serve(&open(&path), &here);
    let reply = call(&next, keyed("k", "{}")).await;
    assert!(problem(&reply).contains("is unknown"), "{}", problem(&reply));
    assert_eq!((here.reached(), there.reached()), (0, 0));
}

#[tokio::test]
async fn answers_outlive_their_process() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("keys.sqlite3");
    let server = CountingServer::new();
    for replay in [false, true, true] {
        let service = serve(&open(&path), &server);
        assert_eq!(was_replay(&call(&service, keyed("k", "{}")).await), Some(replay));
    }
    assert_eq!(server.reached(), 1);
    // A store is dropped only when the sweep that its layer began has ended, so its mark may stay for a moment.
    let marks = || std::fs::read_dir(folder.path().join("keys.owners")).unwrap().count();
    until(|| marks() == 0).await;
}

#[cfg(unix)]
#[test]
fn only_the_user_can_read_kept_answers() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("keys.sqlite3");
    let _store = SqliteIdempotencyStore::open(&path).unwrap();
    for file in ["keys.sqlite3", "keys.sqlite3-wal", "keys.sqlite3-shm"] {
        let mode = std::fs::metadata(folder.path().join(file)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{file}");
    }
    assert!(SqliteIdempotencyStore::open(folder.path().join("no folder/keys.sqlite3")).is_err());
}

#[tokio::test]
async fn an_unstored_end_is_settled_by_the_next_sweep_or_call() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("keys.sqlite3");
    let store = open(&path);
    let disk = rusqlite::Connection::open(&path).unwrap();
    let now = jiff::Timestamp::now();
    let entry = |key: &str| {
        let call = keyed(key, "{}").identified();
        let id = EntryId::of(&call, &mgp_types::idempotency::IdempotencyKey::new(key).unwrap());
        let expires_at = now + jiff::SignedDuration::from_hours(1);
        NewEntry {
            id,
            caller: "ann".to_owned(),
            arguments: arguments_digest(&call),
            made_at: now,
            expires_at,
        }
    };
    let state = async |key: &str| match store.claim(entry(key), settings().bounds).await.unwrap() {
        Claim::Exists(entry) => Some(entry.state),
        _ => None,
    };
    for key in ["sent", "unsent"] {
        assert_eq!(store.claim(entry(key), settings().bounds).await.unwrap(), Claim::New);
    }
    let full =
        "CREATE TRIGGER no_change BEFORE UPDATE ON entries BEGIN SELECT RAISE(ABORT, 'disk full'); END;
                CREATE TRIGGER no_end BEFORE DELETE ON entries BEGIN SELECT RAISE(ABORT, 'disk full'); END;";
    disk.execute_batch(full).unwrap();
    store.keep(&entry("sent").id, Outcome::Unknown, settings().bounds).await.unwrap_err();
    store.release(&entry("unsent").id).await.unwrap_err();
    store.sweep(now).await.unwrap_err();
    disk.execute_batch("DROP TRIGGER no_change; DROP TRIGGER no_end;").unwrap();
    store.sweep(now).await.unwrap();
    assert_eq!(state("sent").await, Some(EntryState::Unknown));
    assert_eq!(state("unsent").await, None, "it was not sent, so its key is free");
    // A caller that comes before the sweep also gets the true outcome, even if the store fails again meanwhile.
    store.claim(entry("early"), settings().bounds).await.unwrap();
    disk.execute_batch(full).unwrap();
    store.release(&entry("early").id).await.unwrap_err();
    store.keep(&entry("early").id, Outcome::Unknown, settings().bounds).await.unwrap_err();
    disk.execute_batch("DROP TRIGGER no_change; DROP TRIGGER no_end;").unwrap();
    assert_eq!(state("early").await, None, "its key is free, and claimed anew");
    assert_eq!(state("early").await, Some(EntryState::Pending { here: true }));
    // A settled entry is not touched again.
    store.sweep(now).await.unwrap();
    assert_eq!(state("unsent").await, Some(EntryState::Pending { here: true }));
}

/// Writes a file as the first version of the table did.
fn first_version(path: &Path, expires_at: i64) {
    let file = rusqlite::Connection::open(path).unwrap();
    file.execute_batch(crate::idempotency::sqlite::ENTRIES).unwrap();
    file.pragma_update(None, "user_version", 1).unwrap();
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
}

#[tokio::test]
async fn a_file_of_the_first_version_is_counted_by_caller_from_now_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("keys.sqlite3");
    first_version(&path, (jiff::Timestamp::now() + jiff::SignedDuration::from_hours(1)).as_microsecond());
    drop(open(&path));
    let file = rusqlite::Connection::open(&path).unwrap();
    let mut sums = file.prepare("SELECT caller, entries, bytes FROM sums ORDER BY caller").unwrap();
    let sums: Vec<(String, i64, i64)> = sums
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap();
    let expected = [("ann", 2, 29), ("eve", 1, 2), ("no list", 1, 2)];
    assert_eq!(sums, expected.map(|(caller, entries, bytes)| (caller.to_owned(), entries, bytes)));
    let service = serve(&open(&path), &CountingServer::new());
    assert_eq!(was_replay(&call(&service, keyed("k", "{}")).await), Some(true), "what was kept is replayed");
    assert_eq!(was_replay(&call(&service, keyed("l", "{}")).await), Some(false));
    let full = call(&service, keyed("m", "{}")).await;
    assert!(problem(&full).contains("3 idempotency keys"), "{}", problem(&full));
}
