//! A store of keys in the table of a database.

use super::{KeyHash, KeyStore, StoredKey};
use crate::stored_rows::{needed_time, time};
use async_trait::async_trait;
use jiff::Timestamp;
use mgp_store::{
    StoreError,
    sql::{Connection, Database, Row, Schema, SqlStore, params},
    sqlite::Synchronous,
};
use mgp_types::lifecycle::OperatorRole;
use std::collections::BTreeSet;

const COLUMNS: &str = "hash, name, agent, admin, scopes, created_at, expires_at, last_used, console";

/// A store of keys in a database, which several processes may share.
#[derive(Debug, Clone)]
pub struct SqlKeyStore(Database);

impl SqlStore for SqlKeyStore {
    /// The table of keys: one row for each key. Times are in microseconds since 1970. A revoked key must stay revoked after a loss of power.
    const SCHEMA: &'static Schema = &Schema {
        section: "keys",
        synchronous: Synchronous::Full,
        sqlite: &[
            "
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
",
            "ALTER TABLE keys ADD COLUMN console TEXT;",
        ],
        postgres: None,
    };

    fn new(database: Database) -> Self {
        Self(database)
    }
}

#[async_trait]
impl KeyStore for SqlKeyStore {
    async fn load(&self) -> Result<Vec<StoredKey>, StoreError> {
        let load = |connection: &Connection<'_>| {
            connection.rows(&format!("SELECT {COLUMNS} FROM keys ORDER BY name, created_at"), &[])
        };
        let readable = |row: &Row| {
            read(row)
                .inspect_err(
                    |problem| tracing::warn!(%problem, "an API key cannot be read, and admits nobody"),
                )
                .ok()
        };
        Ok(self.0.read(load).await?.iter().filter_map(readable).collect())
    }

    async fn add(&self, key: StoredKey) -> Result<bool, StoreError> {
        let add = move |connection: &Connection<'_>| {
            let is_taken =
                connection.row("SELECT name FROM keys WHERE name = $1", &params![&key.name])?.is_some();
            if !is_taken {
                insert(connection, &key)?;
            }
            Ok(!is_taken)
        };
        self.0.write(add).await
    }

    async fn names(&self) -> Result<BTreeSet<String>, StoreError> {
        let rows = self.0.read(|connection| connection.rows("SELECT name FROM keys", &[])).await?;
        rows.iter().map(|row| Ok(row.needed("name").map_err(StoreError::new)?.to_owned())).collect()
    }

    async fn replace(&self, before: KeyHash, next: StoredKey, until: Timestamp) -> Result<bool, StoreError> {
        let replace = move |connection: &Connection<'_>| {
            let now = next.created_at.as_microsecond();
            let holds = connection.row(
                "SELECT name FROM keys WHERE hash = $1 AND name = $2 AND (expires_at IS NULL OR expires_at > $3)",
                &params![before.as_slice(), &next.name, now],
            )?;
            if holds.is_none() {
                return Ok(false);
            }
            let expired = "DELETE FROM keys WHERE name = $1 AND expires_at <= $2";
            connection.execute(expired, &params![&next.name, now])?;
            connection.execute(
                "UPDATE keys SET expires_at = $2 WHERE name = $1 AND (expires_at IS NULL OR expires_at > $2)",
                &params![&next.name, until.as_microsecond()],
            )?;
            insert(connection, &next)?;
            Ok(true)
        };
        self.0.write(replace).await
    }

    async fn revoke(&self, name: &str) -> Result<bool, StoreError> {
        let name = name.to_owned();
        let revoke = move |connection: &Connection<'_>| {
            connection.execute("DELETE FROM keys WHERE name = $1", &params![name])
        };
        Ok(self.0.write(revoke).await? > 0)
    }

    async fn used(&self, hash: KeyHash, at: Timestamp) -> Result<(), StoreError> {
        let used = move |connection: &Connection<'_>| {
            connection.execute(
                "UPDATE keys SET last_used = $2 WHERE hash = $1 AND (last_used IS NULL OR last_used < $2)",
                &params![hash.as_slice(), at.as_microsecond()],
            )
        };
        // Of one row, and nobody has to read it: no lock, and no new version of the keys.
        self.0.write_for(Vec::new(), used).await.map(drop)
    }

    async fn version(&self) -> Result<i64, StoreError> {
        self.0.version().await
    }
}

fn insert(connection: &Connection<'_>, key: &StoredKey) -> Result<(), StoreError> {
    connection
        .execute(
            &format!("INSERT INTO keys ({COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)"),
            &params![
                key.hash.as_slice(),
                &key.name,
                &key.agent,
                key.admin,
                &key.scopes,
                key.created_at.as_microsecond(),
                key.expires_at.map(Timestamp::as_microsecond),
                key.last_used.map(Timestamp::as_microsecond),
                key.console.map(OperatorRole::as_str),
            ],
        )
        .map(drop)
}

/// Reads a row, which may have been edited by hand. Every column that a decision depends on must be readable.
fn read(row: &Row) -> Result<StoredKey, String> {
    let hash = row.bytes("hash")?.ok_or("missing hash")?;
    Ok(StoredKey {
        name: row.needed("name")?.to_owned(),
        hash: hash
            .try_into()
            .map_err(|_| format!("invalid hash: expected 32 bytes, found {}", hash.len()))?,
        agent: row.needed("agent")?.to_owned(),
        admin: row.flag("admin")?,
        console: row.text("console")?.map(console_role).transpose()?,
        scopes: row.needed("scopes")?.to_owned(),
        created_at: needed_time(row, "created_at")?,
        expires_at: time(row, "expires_at")?,
        last_used: time(row, "last_used").unwrap_or_default(),
    })
}

fn console_role(text: &str) -> Result<OperatorRole, String> {
    let role = OperatorRole::ALL.into_iter().find(|role| role.as_str() == text);
    role.ok_or_else(|| format!("console is {text:?}: expected viewer, approver or admin"))
}
