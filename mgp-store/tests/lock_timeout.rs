//! The time limit of waits for another process, in a process of its own: the limit is one of the process.

#![cfg(feature = "sqlite")]

use mgp_store::{
    sql::{Connection, Database, Schema},
    sqlite::{Synchronous, Turn, lock_timeout, set_lock_timeout},
};
use std::time::Duration;

const SCHEMA: Schema = Schema {
    section: "test",
    synchronous: Synchronous::Normal,
    sqlite: &["CREATE TABLE a (x INTEGER);"],
    postgres: None,
};

#[tokio::test]
async fn waiting_for_a_file_ends_at_the_time_limit_and_names_it() {
    assert_eq!(lock_timeout(), Duration::from_secs(5));
    set_lock_timeout(Duration::from_millis(20));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.sqlite3");
    let other = Database::open(&path, &SCHEMA).unwrap();
    let writer = rusqlite::Connection::open(&path).unwrap();
    let insert = |connection: &Connection<'_>| connection.execute("INSERT INTO a VALUES (1)", &[]);
    assert_eq!(other.write(insert).await, Ok(1));
    writer.execute_batch("BEGIN IMMEDIATE").unwrap();
    let error = other.write(insert).await.unwrap_err().to_string();
    assert!(error.contains("20ms") && error.contains("kernel.lock_timeout_ms"), "{error}");
    writer.execute_batch("COMMIT").unwrap();
    assert_eq!(other.write(insert).await, Ok(1));

    let _turn = Turn::at(&path).unwrap();
    let error = Turn::at(&path).unwrap_err();
    assert!(error.contains("was locked for more than 20ms"), "{error}");
}
