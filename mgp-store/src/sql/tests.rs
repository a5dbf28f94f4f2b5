//! Tests of statements and transactions, with both engines.

use super::*;
use crate::{StoreError, sqlite::Synchronous};
use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
    time::Duration,
};
use tempfile::TempDir;

static SCHEMA: Schema = Schema {
    section: "test",
    synchronous: Synchronous::Normal,
    sqlite: &["CREATE TABLE a (id TEXT PRIMARY KEY, n INTEGER NOT NULL, bytes BLOB) STRICT"],
    postgres: None,
};

/// Two handles to the same tables, as two processes have them, or two parts of one process in memory.
struct Pair {
    name: &'static str,
    here: Database,
    there: Database,
    _folder: Option<TempDir>,
}

async fn pairs() -> Vec<Pair> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("test.sqlite3");
    let open = || Database::open(&path, &SCHEMA).unwrap();
    let (here, there) = (open(), open());
    let of_both = Database::in_memory(&SCHEMA);
    let mut pairs = vec![
        Pair { name: "SQLite", here, there, _folder: Some(folder) },
        Pair { name: "memory", here: of_both.clone(), there: of_both, _folder: None },
    ];
    #[cfg(feature = "postgres")]
    if let Some(url) = xtask_testing::postgres().await {
        let (here, there) = (connect(&url), connect(&url));
        pairs.push(Pair { name: "PostgreSQL", here, there, _folder: None });
    }
    pairs
}

#[cfg(feature = "postgres")]
fn connect(url: &str) -> Database {
    postgres::PostgresStore::new(url).unwrap().tables(&SCHEMA)
}

fn add(connection: &Connection<'_>, id: &str, n: i64) -> Result<usize, StoreError> {
    let sql = "INSERT INTO a (id, n, bytes) VALUES ($1, $2, $3) ON CONFLICT (id) DO UPDATE SET n = a.n + excluded.n";
    connection.execute(sql, &params![id, n, id.as_bytes()])
}

async fn number(database: &Database, id: &'static str) -> Option<i64> {
    let read =
        move |connection: &Connection<'_>| connection.row("SELECT n FROM a WHERE id = $1", &params![id]);
    database.read(read).await.unwrap().map(|row| row.needed_integer("n").unwrap())
}

#[tokio::test]
async fn values_are_read_as_they_were_written() {
    for Pair { name, here, .. } in pairs().await {
        let bytes: Vec<u8> = (0..=255).collect();
        let (text, written) = ("q'\"\u{1f980}$1 ?1 :n", bytes.clone());
        let write = move |connection: &Connection<'_>| {
            let sql = "INSERT INTO a (bytes, n, id) VALUES ($3, $2, $1) RETURNING id, n, bytes, n > 5 AS big, NULL AS empty";
            connection.row(sql, &params![text, i64::MIN, written.as_slice()])
        };
        let row = here.write(write).await.unwrap().unwrap();
        assert_eq!(row.needed("id").unwrap(), text, "{name}");
        assert_eq!(row.integer("n").unwrap(), Some(i64::MIN), "{name}");
        assert_eq!(row.bytes("bytes").unwrap(), Some(&*bytes), "{name}");
        assert!(!row.flag("big").unwrap(), "{name}");
        assert_eq!(row.text("empty").unwrap(), None, "{name}");
        assert_eq!(row.text("n").unwrap_err(), "invalid n: expected text, found a number", "{name}");
        assert_eq!(row.integer("m").unwrap_err(), "missing m", "{name}");
    }
}

#[tokio::test]
async fn a_failed_or_foreseen_write_keeps_nothing() {
    for Pair { name, here, there, .. } in pairs().await {
        let failed = here.write(|connection| {
            add(connection, "a", 1)?;
            Err::<(), _>(StoreError::new("no"))
        });
        assert_eq!(failed.await, Err(StoreError::new("no")), "{name}");
        let broken = here.write(|connection| {
            add(connection, "a", 1)?;
            connection.execute("INSERT INTO nowhere VALUES ($1)", &params![1_i64])
        });
        let error = broken.await.unwrap_err().to_string();
        assert!(error.contains("nowhere"), "{name}: {error}");
        let foreseen = here.foresee_for(vec!["a".into()], |connection| {
            add(connection, "a", 1)?;
            connection.row("SELECT n FROM a", &[])
        });
        assert!(foreseen.await.unwrap().is_some(), "{name}");
        let refused =
            here.write_with_event(async { Err("refused") }, |connection| Ok(add(connection, "a", 1)? > 0));
        assert_eq!(refused.await.unwrap(), Err("refused"), "{name}");
        let unchanged = here.write_with_event(async { Err("refused") }, |_| Ok(false));
        assert_eq!(unchanged.await.unwrap(), Ok(false), "{name}");
        assert_eq!(number(&there, "a").await, None, "{name}");
        let changed =
            here.write_with_event(async { Ok::<_, ()>(()) }, |connection| Ok(add(connection, "a", 1)? > 0));
        assert_eq!(changed.await.unwrap(), Ok(true), "{name}");
        assert_eq!(number(&there, "a").await, Some(1), "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn writers_of_one_subject_take_turns() {
    crate::sqlite::set_lock_timeout(Duration::from_secs(120));
    for Pair { name, here, there, .. } in pairs().await {
        for whole in [false, true] {
            let running = Arc::new(AtomicUsize::new(0));
            let mut writers = tokio::task::JoinSet::new();
            for number in 0..24 {
                let database = if number % 2 == 0 { &here } else { &there }.clone();
                let running = running.clone();
                writers.spawn(async move {
                    let write = move |connection: &Connection<'_>| {
                        assert_eq!(running.fetch_add(1, SeqCst), 0, "two wrote at once");
                        // Read, then written: without the lock, some additions would be lost.
                        let row = connection.row("SELECT n FROM a WHERE id = $1", &params!["sum"])?;
                        let sum = row.map_or(0, |row| row.needed_integer("n").unwrap());
                        connection.execute("DELETE FROM a WHERE id = $1", &params!["sum"])?;
                        add(connection, "sum", sum + 1)?;
                        running.fetch_sub(1, SeqCst);
                        Ok(())
                    };
                    if whole {
                        database.write(write).await
                    } else {
                        database.write_for(vec!["x".into(), "y".into()], write).await
                    }
                });
            }
            for written in writers.join_all().await {
                written.unwrap();
            }
        }
        assert_eq!(number(&here, "sum").await, Some(48), "{name}");
    }
}

#[tokio::test]
async fn another_process_sees_a_new_version_after_a_write() {
    for Pair { name, here, there, .. } in pairs().await {
        // Reads once before the write, because the first reading looks like a change.
        let before = there.current_version().await.unwrap();
        here.write(|connection| add(connection, "a", 1)).await.unwrap();
        xtask_testing::within(async {
            while there.version().await.unwrap() == before {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        })
        .await;
        let before = there.current_version().await.unwrap();
        let failed = here.write(|_| Err::<(), _>(StoreError::new("no"))).await;
        assert!(failed.is_err(), "{name}");
        assert_eq!(there.current_version().await.unwrap(), before, "{name}");
    }
}

#[tokio::test]
async fn the_current_version_shows_every_earlier_write() {
    for Pair { name, here, there, .. } in pairs().await {
        for number in 1..10 {
            let before = there.current_version().await.unwrap();
            here.write(move |connection| add(connection, "a", number)).await.unwrap();
            assert_ne!(there.current_version().await.unwrap(), before, "{name}");
        }
    }
}

#[cfg(feature = "postgres")]
#[tokio::test(flavor = "multi_thread")]
async fn many_processes_create_the_tables_at_once() {
    let Some(url) = xtask_testing::postgres().await else { return };
    let mut processes = tokio::task::JoinSet::new();
    for _ in 0..8 {
        let url = url.clone();
        processes.spawn(async move { number(&connect(&url), "a").await });
    }
    assert_eq!(processes.join_all().await, [None; 8]);
}

#[cfg(feature = "postgres")]
#[tokio::test]
async fn tables_of_a_later_version_are_refused() {
    static LATER: Schema =
        Schema { postgres: Some(&["CREATE TABLE a (x BIGINT)", "CREATE TABLE b (x BIGINT)"]), ..SCHEMA };
    let Some(url) = xtask_testing::postgres().await else { return };
    let store = postgres::PostgresStore::new(&url).unwrap();
    store.tables(&LATER).write(|_| Ok(())).await.unwrap();
    let error = store.tables(&SCHEMA).write(|_| Ok(())).await.unwrap_err().to_string();
    let expected = "the tables of section \"test\" are of version 2, and this program knows versions up to 1: use a later version of it";
    assert!(error.contains(expected), "{error}");
}

#[tokio::test]
async fn the_clock_is_in_microseconds_since_1970() {
    for pair in pairs().await {
        let read = |connection: &Connection<'_>| {
            let row = connection.row(&format!("SELECT {} AS now", connection.clock()), &[])?;
            Ok(row.unwrap().needed_integer("now").unwrap())
        };
        let now = pair.here.read(read).await.unwrap();
        let here = i64::try_from(std::time::UNIX_EPOCH.elapsed().unwrap().as_micros()).unwrap();
        // The database runs on this machine.
        assert!((here - now).abs() < 600_000_000, "{}: {now}, not {here}", pair.name);
    }
}

#[cfg(feature = "postgres")]
#[tokio::test]
async fn a_bad_url_is_refused_without_its_password() {
    for url in [
        "postgres://mgp:hunter2@127.0.0.1:1/mgp",
        "mgp:hunter2@db",
        "postgres://mgp:hunter2@[::1/mgp",
        "postgres://mgp:hunter2@h:p/x",
    ] {
        let used = match postgres::PostgresStore::new(url) {
            Ok(store) => store.tables(&SCHEMA).read(|_| Ok(())).await,
            Err(error) => Err(error),
        };
        let error = used.unwrap_err().to_string();
        assert!(!error.contains("hunter2"), "{error}");
        assert!(error.contains("PostgreSQL") || error.contains("postgres://USER"), "{error}");
    }
}
