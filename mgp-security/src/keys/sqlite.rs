//! A store of keys in SQLite.

use super::{KeyHash, KeyStore, StoredKey};
use async_trait::async_trait;
use jiff::Timestamp;
use mgp_store::{
    StoreError,
    sqlite::{Database, Synchronous, needed, open},
};
use rusqlite::{Connection, Row, TransactionBehavior, named_params};
use rusqlite_migration::{M, Migrations};
use std::{collections::BTreeSet, path::Path};

/// The table of keys: one row for each key. Times are in microseconds since 1970.
const KEYS: &str = "
CREATE TABLE keys (
    hash BLOB NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    agent TEXT NOT NULL,
    admin INTEGER NOT NULL,
    scopes TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    last_used INTEGER
) STRICT, WITHOUT ROWID;
";

const COLUMNS: &str = "hash, name, agent, admin, scopes, created_at, expires_at, last_used";

/// A store of keys in an SQLite file, which several processes may share.
#[derive(Debug, Clone)]
pub struct SqliteKeyStore(Database);

impl SqliteKeyStore {
    /// Opens the file, and creates it if it is missing. Blocks on the disk.
    ///
    /// # Errors
    /// [`StoreError`], naming the file.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        // FULL: a revoked key must stay revoked after a loss of power.
        let migrations = Migrations::new(vec![M::up(KEYS)]);
        Ok(Self(Database::new(open(path.as_ref(), Synchronous::Full, &migrations)?)))
    }
}

#[async_trait]
impl KeyStore for SqliteKeyStore {
    async fn load(&self) -> Result<Vec<StoredKey>, StoreError> {
        let load = |connection: &mut Connection| {
            let mut select = connection
                .prepare_cached(&format!("SELECT {COLUMNS} FROM keys ORDER BY name, created_at"))?;
            select.query_map([], |row| Ok(read(row)))?.collect::<rusqlite::Result<Vec<_>>>()
        };
        let readable = |row: Result<StoredKey, String>| {
            row.inspect_err(
                |problem| tracing::warn!(%problem, "an API key cannot be read, and admits nobody"),
            )
            .ok()
        };
        Ok(self.0.run(load).await?.into_iter().filter_map(readable).collect())
    }

    async fn add(&self, key: StoredKey) -> Result<bool, StoreError> {
        let add = move |connection: &mut Connection| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let is_taken = transaction
                .prepare_cached("SELECT 1 FROM keys WHERE name = :name")?
                .exists(named_params! { ":name": key.name })?;
            if !is_taken {
                insert(&transaction, &key)?;
            }
            transaction.commit()?;
            Ok(!is_taken)
        };
        self.0.run(add).await
    }

    async fn names(&self) -> Result<BTreeSet<String>, StoreError> {
        let names = |connection: &mut Connection| {
            let mut select = connection.prepare_cached("SELECT name FROM keys")?;
            select.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<BTreeSet<_>>>()
        };
        self.0.run(names).await
    }

    async fn replace(&self, before: KeyHash, next: StoredKey, until: Timestamp) -> Result<bool, StoreError> {
        let replace = move |connection: &mut Connection| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let now = next.created_at.as_microsecond();
            let is_there = transaction
                .prepare_cached(
                    "SELECT 1 FROM keys WHERE hash = :before AND name = :name AND (expires_at IS NULL OR expires_at > :now)",
                )?
                .exists(named_params! { ":before": before, ":name": next.name, ":now": now })?;
            if !is_there {
                return Ok(false);
            }
            transaction
                .prepare_cached("DELETE FROM keys WHERE name = :name AND expires_at <= :now")?
                .execute(named_params! { ":name": next.name, ":now": now })?;
            transaction
                .prepare_cached("UPDATE keys SET expires_at = min(coalesce(expires_at, :until), :until) WHERE name = :name")?
                .execute(named_params! { ":name": next.name, ":until": until.as_microsecond() })?;
            insert(&transaction, &next)?;
            transaction.commit()?;
            Ok(true)
        };
        self.0.run(replace).await
    }

    async fn revoke(&self, name: &str) -> Result<bool, StoreError> {
        let name = name.to_owned();
        let revoke = move |connection: &mut Connection| {
            connection.execute("DELETE FROM keys WHERE name = :name", named_params! { ":name": name })
        };
        Ok(self.0.run(revoke).await? > 0)
    }

    async fn used(&self, hash: KeyHash, at: Timestamp) -> Result<(), StoreError> {
        let used = move |connection: &mut Connection| {
            connection
                .prepare_cached(
                    "UPDATE keys SET last_used = max(coalesce(last_used, 0), :at) WHERE hash = :hash",
                )?
                .execute(named_params! { ":hash": hash, ":at": at.as_microsecond() })
        };
        self.0.run(used).await.map(drop)
    }

    async fn version(&self) -> Result<i64, StoreError> {
        self.0.data_version().await
    }
}

fn insert(connection: &Connection, key: &StoredKey) -> rusqlite::Result<()> {
    connection
        .prepare_cached(&format!(
            "INSERT INTO keys ({COLUMNS}) VALUES (:hash, :name, :agent, :admin, :scopes, :created_at, :expires_at, :last_used)"
        ))?
        .execute(named_params! {
            ":hash": key.hash,
            ":name": key.name,
            ":agent": key.agent,
            ":admin": key.admin,
            ":scopes": key.scopes,
            ":created_at": key.created_at.as_microsecond(),
            ":expires_at": key.expires_at.map(Timestamp::as_microsecond),
            ":last_used": key.last_used.map(Timestamp::as_microsecond),
        })
        .map(drop)
}

/// Reads a row, which may have been edited by hand. Every column that a decision depends on must be readable.
fn read(row: &Row<'_>) -> Result<StoredKey, String> {
    let told = |error: rusqlite::Error| error.to_string();
    let time = |column: &str| -> Result<Option<Timestamp>, String> {
        let micros: Option<i64> = row.get(column).map_err(told)?;
        micros
            .map(Timestamp::from_microsecond)
            .transpose()
            .map_err(|error| format!("invalid {column}: {error}"))
    };
    Ok(StoredKey {
        name: needed(row, "name")?,
        hash: row.get("hash").map_err(told)?,
        agent: needed(row, "agent")?,
        admin: row.get("admin").map_err(told)?,
        scopes: needed(row, "scopes")?,
        created_at: time("created_at")?.ok_or("missing created_at")?,
        expires_at: time("expires_at")?,
        last_used: time("last_used").unwrap_or_default(),
    })
}
