//! Databases for one test.

use mgp_store::sql::{Database, Schema, postgres::PostgresStore};
use std::{
    env, process,
    sync::atomic::{AtomicUsize, Ordering},
    time::SystemTime,
};
use tempfile::TempDir;
use tokio_postgres::NoTls;

/// The variable with the URL of a server in which tests may create schemas.
const VARIABLE: &str = "MGP_TEST_POSTGRES";

/// The number of schemas that this process has created.
static CREATED: AtomicUsize = AtomicUsize::new(0);

/// Returns whether the environment names a server, in which [`postgres`] makes schemas.
#[must_use]
pub fn has_postgres() -> bool {
    url().is_some()
}

fn url() -> Option<String> {
    env::var(VARIABLE).ok().filter(|url| !url.is_empty())
}

/// Returns the URL of a new, empty schema, or `None` with a note if there is no server. `cargo xtask postgres` starts one.
///
/// # Panics
/// If the server cannot be used, and in CI without one.
pub async fn postgres() -> Option<String> {
    let Some(url) = url() else {
        assert!(env::var_os("CI").is_none(), "CI needs PostgreSQL: {VARIABLE} is not set");
        eprintln!("skipped for PostgreSQL: {VARIABLE} is not set; run the tests with `cargo xtask postgres`");
        return None;
    };
    let (client, connection) = tokio_postgres::connect(&url, NoTls).await.unwrap();
    tokio::spawn(connection);
    let now = SystemTime::UNIX_EPOCH.elapsed().unwrap().as_micros();
    let schema = format!("t{}_{now}_{}", process::id(), CREATED.fetch_add(1, Ordering::Relaxed));
    client.batch_execute(&format!("CREATE SCHEMA {schema}")).await.unwrap();
    let separator = if url.contains('?') { '&' } else { '?' };
    Some(format!("{url}{separator}options=-csearch_path%3D{schema}"))
}

/// Two handles to the same tables, as two processes have them.
#[derive(Debug)]
pub struct SharedDatabase {
    /// The name of the engine.
    pub engine: &'static str,
    /// The handle of one process.
    pub here: Database,
    /// The handle of another process.
    pub there: Database,
    _folder: Option<TempDir>,
}

/// Returns new tables in a file of SQLite, and in PostgreSQL where there is a server.
///
/// # Panics
/// Like [`postgres`].
pub async fn databases(schema: &'static Schema) -> Vec<SharedDatabase> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("test.sqlite3");
    let [here, there] = [(); 2].map(|()| Database::open(&path, schema).unwrap());
    let mut databases = vec![SharedDatabase { engine: "SQLite", here, there, _folder: Some(folder) }];
    if let Some(url) = postgres().await {
        let [here, there] = [(); 2].map(|()| PostgresStore::new(&url).unwrap().tables(schema));
        databases.push(SharedDatabase { engine: "PostgreSQL", here, there, _folder: None });
    }
    databases
}
