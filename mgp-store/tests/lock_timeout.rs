//! The time limit of waits for another process, in a process of its own: the limit is one of the process.

#![cfg(feature = "sqlite")]

use mgp_store::sqlite::{Database, Synchronous, Turn, lock_timeout, open, set_lock_timeout};
use rusqlite_migration::{M, Migrations};
use std::time::Duration;

#[tokio::test]
async fn waiting_for_a_file_ends_at_the_time_limit_and_names_it() {
    assert_eq!(lock_timeout(), Duration::from_secs(5));
    set_lock_timeout(Duration::from_millis(20));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.sqlite3");
    let migrations = Migrations::new(vec![M::up("CREATE TABLE a (x INTEGER);")]);
    let writer = open(&path, Synchronous::Normal, &migrations).unwrap();
    let other = Database::new(open(&path, Synchronous::Normal, &migrations).unwrap());
    let insert = |connection: &mut rusqlite::Connection| connection.execute("INSERT INTO a VALUES (1)", []);
    assert_eq!(other.run(insert).await, Ok(1));
    writer.execute_batch("BEGIN IMMEDIATE").unwrap();
    let error = other.run(insert).await.unwrap_err().to_string();
    assert!(error.contains("20ms") && error.contains("kernel.lock_timeout_ms"), "{error}");
    writer.execute_batch("COMMIT").unwrap();
    assert_eq!(other.run(insert).await, Ok(1));

    let _turn = Turn::at(&path).unwrap();
    let error = Turn::at(&path).unwrap_err();
    assert!(error.contains("was locked for more than 20ms"), "{error}");
}
