//! A store of transactions in SQLite.

use super::{Change, InsertBounds, InsertOutcome, Transaction, TransactionKey, TransactionStore};
use crate::owner::Owner;
use async_trait::async_trait;
use jiff::Timestamp;
use mgp_store::{
    StoreError,
    sqlite::{Database, Synchronous, Turn, open_in_turn},
};
use mgp_types::{json::RawJson, rpc::ErrorObject};
use rusqlite::{Connection, OptionalExtension, Params, TransactionBehavior, params};
use rusqlite_migration::{M, Migrations};
use serde::Serialize;
use std::{path::Path, sync::Arc};

/// The table of transactions, each one JSON document. Times are in microseconds since 1970.
const TRANSACTIONS: &str = "
CREATE TABLE transactions (
    principal TEXT NOT NULL,
    id TEXT NOT NULL,
    is_over INTEGER NOT NULL,
    active_at INTEGER NOT NULL,
    document TEXT NOT NULL,
    PRIMARY KEY (principal, id)
) STRICT;
CREATE INDEX transactions_open ON transactions (is_over, active_at);
";

/// The columns of the bounds and of the watch: the caller without the agents that it acts for, and the time from which a watch has to check
/// the transaction. Transactions stored earlier are due at once.
const CALLERS: &str = "
ALTER TABLE transactions ADD COLUMN due_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE transactions ADD COLUMN caller TEXT AS (
    CASE WHEN json_valid(document) THEN json_remove(document -> '$.caller', '$.delegation') END
) VIRTUAL;
DROP INDEX transactions_open;
CREATE INDEX transactions_due ON transactions (is_over, due_at);
CREATE INDEX transactions_of_caller ON transactions (caller, is_over, active_at);
";

/// Selects the transactions that are open or were rolled back in part.
const UNSETTLED: &str = "SELECT document FROM transactions \
    WHERE is_over = 0 OR CASE WHEN json_valid(document) THEN document ->> '$.state' END = 'partially_rolled_back' \
    ORDER BY is_over, active_at DESC LIMIT ?";

/// Selects every transaction.
const ALL: &str = "SELECT document FROM transactions ORDER BY is_over, active_at DESC LIMIT ?";

/// Selects the transactions with one name.
const NAMED: &str = "SELECT document FROM transactions WHERE id = ? ORDER BY is_over, active_at DESC";

/// Counts the transactions that were rolled back in part.
const IN_PART: &str = "SELECT COUNT(*) FROM transactions \
    WHERE is_over = 1 AND CASE WHEN json_valid(document) THEN document ->> '$.state' END = 'partially_rolled_back'";

/// A store of transactions in an SQLite file that only its user can read, and that several processes may share.
#[derive(Debug, Clone)]
pub struct SqliteTransactionStore {
    database: Database,
    owner: Arc<Owner>,
}

impl SqliteTransactionStore {
    /// Opens the file, and creates it if it is missing. Blocks on the disk.
    ///
    /// # Errors
    /// [`StoreError`], naming the file.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        let path = path.as_ref();
        let error = |error: &dyn std::fmt::Display| StoreError::new(format!("{}: {error}", path.display()));
        let turn = Turn::at(path).map_err(|problem| error(&problem))?;
        let migrations = Migrations::new(vec![M::up(TRANSACTIONS), M::up(CALLERS)]);
        // FULL: a step that was lost in a power failure would never be undone.
        let connection = open_in_turn(path, &turn, Synchronous::Full, &migrations)?;
        connection.pragma_update(None, "secure_delete", true).map_err(|problem| error(&problem))?;
        let owner = Owner::enter(path).map_err(|problem| error(&problem))?;
        owner.bury().map_err(|problem| error(&problem))?;
        Ok(Self { database: Database::new(connection), owner: Arc::new(owner) })
    }

    /// Returns up to `limit` transactions that may need an operator's attention: open ones, then those with a step that was not, or possibly
    /// not, undone, latest end first.
    ///
    /// # Errors
    /// [`StoreError`] if the file cannot be read.
    pub async fn unsettled(&self, limit: usize) -> Result<Vec<Transaction>, StoreError> {
        self.list(UNSETTLED, [at_most(limit)]).await
    }

    /// Returns up to `limit` transactions of any state, in the same order.
    ///
    /// # Errors
    /// [`StoreError`] if the file cannot be read.
    pub async fn all(&self, limit: usize) -> Result<Vec<Transaction>, StoreError> {
        self.list(ALL, [at_most(limit)]).await
    }

    /// Returns the transactions with this name, in the same order: one for each caller that has used the name.
    ///
    /// # Errors
    /// [`StoreError`] if the file cannot be read.
    pub async fn named(&self, id: &str) -> Result<Vec<Transaction>, StoreError> {
        self.list(NAMED, [id.to_owned()]).await
    }

    /// Returns the number of transactions that were rolled back in part.
    ///
    /// # Errors
    /// [`StoreError`] if the file cannot be read.
    pub async fn count_rolled_back_in_part(&self) -> Result<usize, StoreError> {
        let count =
            |connection: &mut Connection| connection.query_row(IN_PART, [], |row| row.get::<_, i64>(0));
        Ok(usize::try_from(self.database.run(count).await?).unwrap_or_default())
    }

    async fn list(
        &self,
        sql: &'static str,
        params: impl Params + Send + 'static,
    ) -> Result<Vec<Transaction>, StoreError> {
        let list = move |connection: &mut Connection| {
            let mut select = connection.prepare_cached(sql)?;
            let rows = select.query_map(params, |row| row.get(0))?;
            let mut listed = Vec::new();
            for row in rows {
                match read(row?) {
                    Ok(transaction) => listed.push(transaction),
                    // One unreadable transaction must not hide the others.
                    Err(error) => tracing::warn!(%error, "skipped"),
                }
            }
            Ok(listed)
        };
        self.database.run(list).await
    }

    async fn write<T: Send + 'static>(
        &self,
        write: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.database
            .run(move |connection| {
                let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
                let written = write(&transaction)?;
                transaction.commit()?;
                Ok(written)
            })
            .await
    }
}

fn load(connection: &Connection, key: &TransactionKey) -> rusqlite::Result<Option<Transaction>> {
    let sql = "SELECT document FROM transactions WHERE principal = ? AND id = ?";
    let text: Option<String> = connection
        .prepare_cached(sql)?
        .query_row(params![key.principal, key.id], |row| row.get(0))
        .optional()?;
    text.map(read).transpose()
}

/// Converts a number of rows for SQLite.
fn at_most(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}

fn read(text: String) -> rusqlite::Result<Transaction> {
    let unreadable = |error: mgp_types::json::JsonError| {
        let error = format!("a stored transaction cannot be read: {error}");
        rusqlite::Error::ToSqlConversionFailure(error.into())
    };
    RawJson::parse(text).and_then(|json| json.decode()).map_err(unreadable)
}

fn json(value: &impl Serialize) -> rusqlite::Result<RawJson> {
    let unwritable =
        |error: mgp_types::json::JsonError| rusqlite::Error::ToSqlConversionFailure(error.to_string().into());
    RawJson::from_value(value).map_err(unwritable)
}

fn save(connection: &Connection, key: &TransactionKey, row: &Transaction) -> rusqlite::Result<()> {
    let document = json(row)?;
    let sql = "INSERT INTO transactions (principal, id, is_over, active_at, due_at, document) VALUES (?1, ?2, ?3, ?4, ?5, ?6) \
               ON CONFLICT (principal, id) DO UPDATE SET is_over = ?3, active_at = ?4, due_at = ?5, document = ?6";
    let is_over = row.state.is_over();
    let values = params![key.principal, key.id, is_over, row.active_at, row.due_at(), document.as_str()];
    connection.prepare_cached(sql)?.execute(values)?;
    Ok(())
}

/// Returns the outcome of storing a new transaction of a caller.
fn outcome(
    connection: &Connection,
    key: &TransactionKey,
    caller: &RawJson,
    bounds: InsertBounds,
) -> rusqlite::Result<InsertOutcome> {
    if load(connection, key)?.is_some() {
        return Ok(InsertOutcome::Exists);
    }
    let sql =
        "SELECT count(*) FROM transactions WHERE caller = json_remove(?, '$.delegation') AND is_over = 0";
    let open: i64 = connection.prepare_cached(sql)?.query_row([caller.as_str()], |row| row.get(0))?;
    if usize::try_from(open).unwrap_or(usize::MAX) >= bounds.open {
        return Ok(InsertOutcome::Full);
    }
    Ok(InsertOutcome::New)
}

#[async_trait]
impl TransactionStore for SqliteTransactionStore {
    async fn insert(
        &self,
        key: &TransactionKey,
        new: Transaction,
        bounds: InsertBounds,
    ) -> Result<InsertOutcome, StoreError> {
        let key = key.clone();
        let insert = move |connection: &Connection| {
            let caller = json(&new.caller)?;
            let outcome = outcome(connection, &key, &caller, bounds)?;
            if outcome != InsertOutcome::New {
                return Ok(outcome);
            }
            let sql = "DELETE FROM transactions WHERE rowid IN (SELECT rowid FROM transactions \
                       WHERE caller = json_remove(?, '$.delegation') AND is_over = 1 ORDER BY active_at DESC LIMIT -1 OFFSET ?)";
            let over = i64::try_from(bounds.over).unwrap_or(i64::MAX);
            connection.prepare_cached(sql)?.execute(params![caller.as_str(), over])?;
            save(connection, &key, &new)?;
            Ok(InsertOutcome::New)
        };
        self.write(insert).await
    }

    async fn foresee_insert(
        &self,
        key: &TransactionKey,
        new: Transaction,
        bounds: InsertBounds,
    ) -> Result<InsertOutcome, StoreError> {
        let key = key.clone();
        self.database.run(move |connection| outcome(connection, &key, &json(&new.caller)?, bounds)).await
    }

    async fn load(&self, key: &TransactionKey) -> Result<Option<Transaction>, StoreError> {
        let key = key.clone();
        self.database.run(move |connection| load(connection, &key)).await
    }

    async fn update(
        &self,
        key: &TransactionKey,
        change: Change,
    ) -> Result<Option<Result<Transaction, ErrorObject>>, StoreError> {
        let key = key.clone();
        let update = move |connection: &Connection| {
            let Some(mut row) = load(connection, &key)? else { return Ok(None) };
            if let Err(error) = change(&mut row) {
                return Ok(Some(Err(error)));
            }
            save(connection, &key, &row)?;
            Ok(Some(Ok(row)))
        };
        self.write(update).await
    }

    async fn due(&self, now: Timestamp) -> Result<Vec<(TransactionKey, Transaction)>, StoreError> {
        let due = move |connection: &mut Connection| {
            let sql = "SELECT principal, id, document FROM transactions WHERE is_over = 0 AND due_at <= ?";
            let mut select = connection.prepare_cached(sql)?;
            let rows = select.query_map([now.as_microsecond()], |row| {
                let key = TransactionKey { principal: row.get(0)?, id: row.get(1)? };
                Ok((key, row.get(2)?))
            })?;
            let mut due = Vec::new();
            for row in rows {
                let (key, text) = row?;
                match read(text) {
                    Ok(transaction) => due.push((key, transaction)),
                    // One unreadable transaction must not prevent the rollback of the others.
                    Err(error) => tracing::warn!(id = key.id, principal = key.principal, %error, "skipped"),
                }
            }
            Ok(due)
        };
        self.database.run(due).await
    }

    async fn sweep(&self, before: Timestamp) -> Result<usize, StoreError> {
        let sweep = move |connection: &Connection| {
            let sql = "DELETE FROM transactions WHERE is_over = 1 AND active_at < ?";
            connection.prepare_cached(sql)?.execute([before.as_microsecond()])
        };
        self.write(sweep).await
    }

    fn me(&self) -> &str {
        self.owner.id()
    }

    async fn is_alive(&self, owner: &str) -> Result<bool, StoreError> {
        if owner == self.owner.id() {
            return Ok(true);
        }
        let (marks, owner) = (self.owner.clone(), owner.to_owned());
        let alive = tokio::task::spawn_blocking(move || marks.is_alive(&owner)).await;
        alive.map_err(|error| StoreError::new(error.to_string()))
    }
}
