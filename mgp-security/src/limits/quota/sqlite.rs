//! A store of used quotas in SQLite.

use super::{
    QuotaKey, QuotaShare, QuotaStore, SpendOutcome,
    store::{KEPT_DAYS, check_room},
};
use async_trait::async_trait;
use jiff::civil::Date;
use mgp_store::{
    StoreError,
    sqlite::{Database, Synchronous, open},
};
use rusqlite::{Connection, OptionalExtension, TransactionBehavior, named_params};
use rusqlite_migration::{M, Migrations};
use std::path::Path;

/// The table of quotas: one row for each day and party. Days are written as 2026-01-31.
const QUOTAS: &str = "
CREATE TABLE quotas (
    day TEXT NOT NULL,
    party TEXT NOT NULL,
    caller TEXT NOT NULL,
    server TEXT NOT NULL,
    tool TEXT NOT NULL,
    used INTEGER NOT NULL,
    PRIMARY KEY (day, party, caller, server, tool)
) STRICT, WITHOUT ROWID;
";

/// Selects the row of a key.
const ROW: &str = "day = :day AND party = :party AND caller = :caller AND server = :server AND tool = :tool";

/// A store of quotas in an SQLite file, which several processes may share.
#[derive(Debug, Clone)]
pub struct SqliteQuotaStore(Database);

impl SqliteQuotaStore {
    /// Opens the file, and creates it if it is missing. Blocks on the disk.
    ///
    /// # Errors
    /// [`StoreError`], naming the file.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        // NORMAL: each call writes, and a loss of power gives back only a few units.
        let migrations = Migrations::new(vec![M::up(QUOTAS)]);
        Ok(Self(Database::new(open(path.as_ref(), Synchronous::Normal, &migrations)?)))
    }
}

#[async_trait]
impl QuotaStore for SqliteQuotaStore {
    async fn spend(
        &self,
        day: Date,
        shares: Vec<QuotaShare>,
        units: u64,
    ) -> Result<SpendOutcome, StoreError> {
        self.0.run(move |connection| spend(connection, day, &shares, units)).await?
    }

    async fn give_back(&self, day: Date, keys: Vec<QuotaKey>, units: u64) -> Result<(), StoreError> {
        self.0.run(move |connection| give_back(connection, day, &keys, units)).await
    }

    async fn used(&self, day: Date, keys: Vec<QuotaKey>) -> Result<Vec<u64>, StoreError> {
        let read = move |connection: &mut Connection| {
            keys.iter().map(|key| Ok(used(connection, &day.to_string(), key)?.unwrap_or(0))).collect()
        };
        self.0.run(read).await
    }
}

/// Spends units in one transaction. The inner error means that there are too many quotas.
fn spend(
    connection: &mut Connection,
    day: Date,
    shares: &[QuotaShare],
    units: u64,
) -> rusqlite::Result<Result<SpendOutcome, StoreError>> {
    let today = day.to_string();
    // Immediate, so that nobody writes between reading and spending.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let mut new = 0;
    for (at, share) in shares.iter().enumerate() {
        let used = used(&transaction, &today, &share.key)?;
        new += usize::from(used.is_none());
        let used = used.unwrap_or(0);
        if used.saturating_add(units) > share.limit {
            return Ok(Ok(SpendOutcome::Exhausted { at, used }));
        }
    }
    if new > 0 {
        forget(&transaction, &today)?;
        let count = "SELECT count(*) FROM quotas WHERE day = :day";
        let count: i64 = transaction.query_row(count, named_params! { ":day": today }, |row| row.get(0))?;
        if let Err(error) = check_room(usize::try_from(count).unwrap_or(usize::MAX), new) {
            return Ok(Err(error));
        }
    }
    let units = i64::try_from(units).unwrap_or(i64::MAX);
    for QuotaShare { key, limit: _ } in shares {
        transaction
            .prepare_cached(
                "INSERT INTO quotas (day, party, caller, server, tool, used) \
                 VALUES (:day, :party, :caller, :server, :tool, :units) \
                 ON CONFLICT DO UPDATE SET used = used + :units",
            )?
            .execute(named_params! {
                ":day": today,
                ":party": key.party,
                ":caller": key.caller,
                ":server": key.server,
                ":tool": key.tool,
                ":units": units,
            })?;
    }
    transaction.commit()?;
    Ok(Ok(SpendOutcome::Spent))
}

/// Gives back units in one transaction.
fn give_back(connection: &mut Connection, day: Date, keys: &[QuotaKey], units: u64) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // A negative number was written by hand, and stays as it is.
    let sql = format!("UPDATE quotas SET used = max(used - :units, 0) WHERE {ROW} AND used > 0");
    for key in keys {
        transaction.prepare_cached(&sql)?.execute(named_params! {
            ":units": i64::try_from(units).unwrap_or(i64::MAX),
            ":day": day.to_string(),
            ":party": key.party,
            ":caller": key.caller,
            ":server": key.server,
            ":tool": key.tool,
        })?;
    }
    transaction.commit()
}

/// Removes all days except the current one and the latest others. The days are found individually, so that the rows of a day are not read.
fn forget(connection: &Connection, today: &str) -> rusqlite::Result<()> {
    let mut before = connection.prepare_cached("SELECT max(day) FROM quotas WHERE day < :day")?;
    // After every date.
    let (mut day, mut kept) = ("~".to_owned(), 0);
    while kept < KEPT_DAYS {
        let next: Option<String> = before.query_row(named_params! { ":day": day }, |row| row.get(0))?;
        let Some(next) = next else { return Ok(()) };
        kept += usize::from(next != today);
        day = next;
    }
    connection
        .prepare_cached("DELETE FROM quotas WHERE day < :day AND day <> :today")?
        .execute(named_params! { ":day": day, ":today": today })?;
    Ok(())
}

/// Returns the used units of a key. An invalid number, written by hand, counts as used up.
fn used(connection: &Connection, day: &str, key: &QuotaKey) -> rusqlite::Result<Option<u64>> {
    let found: Option<i64> = connection
        .prepare_cached(&format!("SELECT used FROM quotas WHERE {ROW}"))?
        .query_row(
            named_params! {
                ":day": day,
                ":party": key.party,
                ":caller": key.caller,
                ":server": key.server,
                ":tool": key.tool,
            },
            |row| row.get(0),
        )
        .optional()?;
    Ok(found.map(|used| u64::try_from(used).unwrap_or(u64::MAX)))
}
