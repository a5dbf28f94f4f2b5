//! A store of transactions in the tables of a database.

use super::{
    Change, InsertBounds, InsertOutcome, Transaction, TransactionCaller, TransactionKey, TransactionStore,
};
use crate::{idempotency::calling_agent, owner::Owner};
use async_trait::async_trait;
use jiff::Timestamp;
use mgp_store::{
    StoreError,
    sql::{Connection, Database, Row, Schema, Value, params},
    sqlite::Synchronous,
};
use mgp_types::{
    json::{RawJson, RawObject},
    rpc::ErrorObject,
    transaction::TransactionState,
};
use serde::Serialize;
use std::{path::Path, sync::Arc};

/// The end of a query of the operator: open transactions first, then those with the latest end.
const IN_ORDER: &str = "ORDER BY is_over, active_at DESC";

/// The condition that selects a transaction.
const OF_KEY: &str = "agent = $1 AND principal = $2 AND id = $3";

/// A store of transactions in a database, which several processes may share. A file of SQLite can be read only by its user.
#[derive(Debug, Clone)]
pub struct SqlTransactionStore {
    database: Database,
    pub(super) owner: Arc<Owner>,
}

/// The table of running processes in PostgreSQL.
const OWNERS: &str = "transaction_owners";

impl SqlTransactionStore {
    /// The table of transactions, each one JSON document. The other columns are taken from it: `agent` is the calling agent, and `caller`
    /// the agent with its rights, without the agents that it acts for. Times are in microseconds since 1970. A step that was lost in a power
    /// failure would never be undone.
    ///
    /// PostgreSQL has no unique index of transactions, because their identity may be longer than its indexes allow. An agent's transactions
    /// are written by one process at a time.
    pub const SCHEMA: &'static Schema = &Schema {
        section: "transaction",
        synchronous: Synchronous::Full,
        sqlite: &[
            "
CREATE TABLE transactions (
    principal TEXT NOT NULL,
    id TEXT NOT NULL,
    is_over INTEGER NOT NULL,
    active_at INTEGER NOT NULL,
    document TEXT NOT NULL,
    PRIMARY KEY (principal, id)
) STRICT;
CREATE INDEX transactions_open ON transactions (is_over, active_at);
",
            "
ALTER TABLE transactions ADD COLUMN due_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE transactions ADD COLUMN caller TEXT AS (
    CASE WHEN json_valid(document) THEN json_remove(document -> '$.caller', '$.delegation') END
) VIRTUAL;
DROP INDEX transactions_open;
CREATE INDEX transactions_due ON transactions (is_over, due_at);
CREATE INDEX transactions_of_caller ON transactions (caller, is_over, active_at);
",
            // The store fills the columns.
            "
DROP INDEX transactions_of_caller;
ALTER TABLE transactions DROP COLUMN caller;
ALTER TABLE transactions ADD COLUMN agent TEXT NOT NULL DEFAULT '';
ALTER TABLE transactions ADD COLUMN caller TEXT NOT NULL DEFAULT '';
ALTER TABLE transactions ADD COLUMN state TEXT NOT NULL DEFAULT '';
UPDATE transactions SET agent = ifnull(CASE WHEN json_valid(principal)
    THEN ifnull(json_extract(principal, '$[0][0]'), json_extract(principal, '$[0]')) END, principal);
UPDATE transactions SET caller = ifnull(json_remove(document -> '$.caller', '$.delegation'), ''),
    state = ifnull(document ->> '$.state', '') WHERE json_valid(document);
CREATE INDEX transactions_of_agent ON transactions (agent, is_over, active_at);
CREATE INDEX transactions_by_name ON transactions (id);
",
        ],
        postgres: Some(&["
CREATE TABLE transactions (
    agent TEXT NOT NULL,
    caller TEXT NOT NULL,
    principal TEXT NOT NULL,
    id TEXT NOT NULL,
    state TEXT NOT NULL,
    is_over BIGINT NOT NULL,
    active_at BIGINT NOT NULL,
    due_at BIGINT NOT NULL,
    document TEXT NOT NULL
);
CREATE INDEX transactions_due ON transactions (is_over, due_at);
CREATE INDEX transactions_of_agent ON transactions (agent, is_over, active_at);
CREATE INDEX transactions_by_name ON transactions (id, agent);
CREATE TABLE transaction_owners (id TEXT NOT NULL PRIMARY KEY, seen_at BIGINT NOT NULL);
"]),
    };

    /// Opens a file of SQLite, and creates it if it is missing. Blocks on the disk.
    ///
    /// # Errors
    /// [`StoreError`], naming the file.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        let (database, owner) = Owner::open(path.as_ref(), Self::SCHEMA)?;
        Ok(Self { database, owner: Arc::new(owner) })
    }

    /// Creates an empty store in memory, which lives as long as its last clone.
    #[must_use]
    pub fn in_memory() -> Self {
        let database = Database::in_memory(Self::SCHEMA);
        Self { database, owner: Arc::new(Owner::only()) }
    }

    /// Uses tables of PostgreSQL that exist, and marks this process as one that runs, until the last clone is dropped. A process that does
    /// not renew its mark for 30 s counts as gone.
    ///
    /// # Errors
    /// [`StoreError`] if the mark cannot be stored.
    pub async fn enter(database: Database) -> Result<Self, StoreError> {
        let owner = Owner::enter_table(database.clone(), OWNERS).await?;
        Ok(Self { database, owner: Arc::new(owner) })
    }

    /// Returns whether a process that runs, such as a kernel, has opened a file of SQLite with transactions. Changes nothing. Blocks on the disk.
    ///
    /// # Errors
    /// [`StoreError`], naming the file.
    pub fn is_open(path: impl AsRef<Path>) -> Result<bool, StoreError> {
        Owner::is_open(path.as_ref())
    }

    /// Returns whether a process that runs, such as a kernel, has entered tables of PostgreSQL. A process that was killed counts as running for
    /// 30 s.
    ///
    /// # Errors
    /// [`StoreError`] if the marks cannot be read.
    pub async fn is_entered(database: &Database) -> Result<bool, StoreError> {
        Owner::is_table_entered(database, OWNERS).await
    }

    /// Returns up to `limit` transactions that may need an operator's attention: open ones, then those with a step that was not, or possibly
    /// not, undone, latest end first.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be read.
    pub async fn unsettled(&self, limit: usize) -> Result<Vec<Transaction>, StoreError> {
        let condition = format!("WHERE is_over = 0 OR state = $1 {IN_ORDER} LIMIT $2");
        let state = TransactionState::PartiallyRolledBack.to_string();
        self.list(condition, params![state, limit]).await
    }

    /// Returns up to `limit` transactions of any state, in the same order.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be read.
    pub async fn all(&self, limit: usize) -> Result<Vec<Transaction>, StoreError> {
        self.list(format!("{IN_ORDER} LIMIT $1"), params![limit]).await
    }

    /// Returns the transactions with this name, in the same order: one for each caller that has used the name.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be read.
    pub async fn named(&self, id: &str) -> Result<Vec<Transaction>, StoreError> {
        self.list(format!("WHERE id = $1 {IN_ORDER}"), params![id.to_owned()]).await
    }

    /// Returns the number of transactions that were rolled back in part.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be read.
    pub async fn count_rolled_back_in_part(&self) -> Result<usize, StoreError> {
        let count = |connection: &Connection<'_>| {
            let state = TransactionState::PartiallyRolledBack.to_string();
            count(connection, "is_over = 1 AND state = $1", &params![state])
        };
        self.database.read(count).await
    }

    async fn list<const N: usize>(
        &self,
        rest: String,
        params: [Value<'static>; N],
    ) -> Result<Vec<Transaction>, StoreError> {
        let list = move |connection: &Connection<'_>| {
            connection.rows(&format!("SELECT document FROM transactions {rest}"), &params)
        };
        let mut listed = Vec::new();
        for row in self.database.read(list).await? {
            match read(&row) {
                Ok(transaction) => listed.push(transaction),
                // One unreadable transaction must not hide the others.
                Err(error) => tracing::warn!(%error, "skipped"),
            }
        }
        Ok(listed)
    }

    /// Writes while no other process writes transactions of the same agent.
    async fn write<T: Send + 'static>(
        &self,
        key: &TransactionKey,
        write: impl FnOnce(&StoredTransaction<'_>) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.owner.check().await?;
        let (key, agent) = (key.clone(), calling_agent(&key.principal));
        let subjects = vec![agent.clone()];
        let write = move |connection: &Connection<'_>| {
            write(&StoredTransaction { connection, key: &key, agent: &agent })
        };
        self.database.write_for(subjects, write).await
    }

    async fn read<T: Send + 'static>(
        &self,
        key: &TransactionKey,
        read: impl FnOnce(&StoredTransaction<'_>) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (key, agent) = (key.clone(), calling_agent(&key.principal));
        let read = move |connection: &Connection<'_>| {
            read(&StoredTransaction { connection, key: &key, agent: &agent })
        };
        self.database.read(read).await
    }
}

fn count(connection: &Connection<'_>, condition: &str, params: &[Value<'_>]) -> Result<usize, StoreError> {
    let sql = format!("SELECT count(*) AS found FROM transactions WHERE {condition}");
    let row = connection.row(&sql, params)?;
    let found = row.map_or(Ok(0), |row| row.needed_integer("found")).map_err(StoreError::new)?;
    Ok(usize::try_from(found).unwrap_or_default())
}

fn read(row: &Row) -> Result<Transaction, StoreError> {
    let unreadable = |error: &dyn std::fmt::Display| {
        StoreError::new(format!("a stored transaction cannot be read: {error}"))
    };
    let text = row.needed("document").map_err(|error| unreadable(&error))?.to_owned();
    RawJson::parse(text).and_then(|json| json.decode()).map_err(|error| unreadable(&error))
}

/// Returns the caller without the agents that it acts for, as a text that is equal for the same caller.
fn text_of(caller: &TransactionCaller) -> Result<String, StoreError> {
    let mut caller: RawObject = json(caller)?.decode().map_err(|error| StoreError::new(error.to_string()))?;
    caller.remove("delegation");
    Ok(caller.to_json().as_str().to_owned())
}

fn json(value: &impl Serialize) -> Result<RawJson, StoreError> {
    RawJson::from_value(value).map_err(|error| StoreError::new(error.to_string()))
}

/// A transaction, which may be missing, on a connection.
struct StoredTransaction<'a> {
    connection: &'a Connection<'a>,
    key: &'a TransactionKey,
    agent: &'a str,
}

impl StoredTransaction<'_> {
    fn load(&self) -> Result<Option<Transaction>, StoreError> {
        let sql = format!("SELECT document FROM transactions WHERE {OF_KEY}");
        let row = self.connection.row(&sql, &params![self.agent, &self.key.principal, &self.key.id])?;
        row.as_ref().map(read).transpose()
    }

    /// Returns the outcome of storing a new transaction of a caller.
    fn outcome(&self, caller: &str, bounds: InsertBounds) -> Result<InsertOutcome, StoreError> {
        if self.load()?.is_some() {
            return Ok(InsertOutcome::Exists);
        }
        let condition = "agent = $1 AND caller = $2 AND is_over = 0";
        let open = count(self.connection, condition, &params![self.agent, caller])?;
        Ok(if open >= bounds.open { InsertOutcome::Full } else { InsertOutcome::New })
    }

    fn insert(&self, new: &Transaction, bounds: InsertBounds) -> Result<InsertOutcome, StoreError> {
        let caller = text_of(&new.caller)?;
        let outcome = self.outcome(&caller, bounds)?;
        if outcome != InsertOutcome::New {
            return Ok(outcome);
        }
        self.connection.execute(
            "DELETE FROM transactions WHERE agent = $1 AND (principal, id) IN (SELECT principal, id FROM transactions \
             WHERE agent = $1 AND caller = $2 AND is_over = 1 ORDER BY active_at DESC LIMIT $3 OFFSET $4)",
            &params![self.agent, &caller, usize::MAX, bounds.over],
        )?;
        let document = json(new)?;
        self.connection.execute(
            "INSERT INTO transactions (agent, principal, id, caller, state, is_over, active_at, due_at, document) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
            &params![
                self.agent,
                &self.key.principal,
                &self.key.id,
                &caller,
                new.state.to_string(),
                new.state.is_over(),
                new.active_at,
                new.due_at(),
                document.as_str(),
            ],
        )?;
        Ok(InsertOutcome::New)
    }

    fn update(&self, change: Change) -> Result<Option<Result<Transaction, ErrorObject>>, StoreError> {
        let Some(mut of) = self.load()? else { return Ok(None) };
        if let Err(error) = change(&mut of) {
            return Ok(Some(Err(error)));
        }
        let document = json(&of)?;
        self.connection.execute(
            &format!(
                "UPDATE transactions SET state = $4, is_over = $5, active_at = $6, due_at = $7, document = $8 WHERE {OF_KEY}"
            ),
            &params![
                self.agent,
                &self.key.principal,
                &self.key.id,
                of.state.to_string(),
                of.state.is_over(),
                of.active_at,
                of.due_at(),
                document.as_str(),
            ],
        )?;
        Ok(Some(Ok(of)))
    }
}

#[async_trait]
impl TransactionStore for SqlTransactionStore {
    async fn insert(
        &self,
        key: &TransactionKey,
        new: Transaction,
        bounds: InsertBounds,
    ) -> Result<InsertOutcome, StoreError> {
        self.write(key, move |stored| stored.insert(&new, bounds)).await
    }

    async fn foresee_insert(
        &self,
        key: &TransactionKey,
        new: Transaction,
        bounds: InsertBounds,
    ) -> Result<InsertOutcome, StoreError> {
        let caller = text_of(&new.caller)?;
        self.read(key, move |stored| stored.outcome(&caller, bounds)).await
    }

    #[expect(
        clippy::redundant_closure_for_method_calls,
        reason = "the method is not general over the lifetime of the connection"
    )]
    async fn load(&self, key: &TransactionKey) -> Result<Option<Transaction>, StoreError> {
        self.read(key, |stored| stored.load()).await
    }

    async fn update(
        &self,
        key: &TransactionKey,
        change: Change,
    ) -> Result<Option<Result<Transaction, ErrorObject>>, StoreError> {
        self.write(key, move |stored| stored.update(change)).await
    }

    async fn due(&self, now: Timestamp) -> Result<Vec<(TransactionKey, Transaction)>, StoreError> {
        let due = move |connection: &Connection<'_>| {
            let sql = "SELECT principal, id, document FROM transactions WHERE is_over = 0 AND due_at <= $1";
            connection.rows(sql, &params![now.as_microsecond()])
        };
        let mut due_now = Vec::new();
        for row in self.database.read(due).await? {
            let text = |column| row.needed(column).unwrap_or_default().to_owned();
            let key = TransactionKey { principal: text("principal"), id: text("id") };
            match read(&row) {
                Ok(transaction) => due_now.push((key, transaction)),
                // One unreadable transaction must not prevent the rollback of the others.
                Err(error) => tracing::warn!(id = key.id, principal = key.principal, %error, "skipped"),
            }
        }
        Ok(due_now)
    }

    async fn sweep(&self, before: Timestamp) -> Result<usize, StoreError> {
        let owner = self.owner.clone();
        let sweep = move |connection: &Connection<'_>| {
            owner.bury(connection)?;
            let sql = "DELETE FROM transactions WHERE is_over = 1 AND active_at < $1";
            connection.execute(sql, &params![before.as_microsecond()])
        };
        self.database.write(sweep).await
    }

    fn me(&self) -> &str {
        self.owner.id()
    }

    async fn is_alive(&self, owner: &str) -> Result<bool, StoreError> {
        let (marks, owner) = (self.owner.clone(), owner.to_owned());
        self.database.read(move |connection| marks.is_alive(connection, &owner)).await
    }
}
