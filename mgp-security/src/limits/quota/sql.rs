//! A store of used quotas in the table of a database.

use super::{
    QuotaKey, QuotaShare, QuotaStore, SpendOutcome, UsedQuota,
    store::{KEPT_DAYS, MAX_QUOTAS, check_room},
};
use async_trait::async_trait;
use jiff::civil::Date;
use mgp_store::{
    StoreError,
    sql::{Connection, Database, Row, Schema, SqlStore, params},
    sqlite::Synchronous,
};

/// Selects the row of a day ($1) and a key ($2 to $5).
const ROW: &str = "day = $1 AND party = $2 AND caller = $3 AND server = $4 AND tool = $5";

/// The kinds of subjects.
const PARTIES: [&str; 4] = ["agent", "key", "server", "tool"];

/// A store of quotas in a database, which several processes may share.
#[derive(Debug, Clone)]
pub struct SqlQuotaStore(Database);

impl SqlStore for SqlQuotaStore {
    /// The table of quotas: one row for each day and party. Days are written as 2026-01-31. Each call writes, and a loss of power gives back
    /// only a few units.
    const SCHEMA: &'static Schema = &Schema {
        section: "quota",
        synchronous: Synchronous::Normal,
        sqlite: &["
CREATE TABLE quotas (
    day TEXT NOT NULL,
    party TEXT NOT NULL,
    caller TEXT NOT NULL,
    server TEXT NOT NULL,
    tool TEXT NOT NULL,
    used INTEGER NOT NULL,
    PRIMARY KEY (day, party, caller, server, tool)
) STRICT, WITHOUT ROWID;
"],
        postgres: None,
    };

    fn new(database: Database) -> Self {
        Self(database)
    }
}

impl SqlQuotaStore {
    /// Returns the used units of all subjects on one day, at most [`MAX_QUOTAS`].
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be read.
    pub async fn used_on(&self, day: Date) -> Result<Vec<UsedQuota>, StoreError> {
        let read = move |connection: &Connection<'_>| {
            let sql = "SELECT party, caller, server, tool, used FROM quotas WHERE day = $1 LIMIT $2";
            let rows = connection.rows(sql, &params![day.to_string(), MAX_QUOTAS])?;
            rows.iter().filter_map(|row| used_quota(row).map_err(StoreError::new).transpose()).collect()
        };
        self.0.read(read).await
    }
}

#[async_trait]
impl QuotaStore for SqlQuotaStore {
    async fn spend(
        &self,
        day: Date,
        shares: Vec<QuotaShare>,
        units: u64,
    ) -> Result<SpendOutcome, StoreError> {
        let parties = subjects(shares.iter().map(|share| &share.key));
        self.0.write_for(parties, move |connection| spend(connection, day, &shares, units)).await
    }

    async fn give_back(&self, day: Date, keys: Vec<QuotaKey>, units: u64) -> Result<(), StoreError> {
        let parties = subjects(&keys);
        self.0.write_for(parties, move |connection| give_back(connection, day, &keys, units)).await
    }

    async fn used(&self, day: Date, keys: Vec<QuotaKey>) -> Result<Vec<u64>, StoreError> {
        let read = move |connection: &Connection<'_>| {
            keys.iter().map(|key| Ok(used(connection, &day.to_string(), key)?.unwrap_or(0))).collect()
        };
        self.0.read(read).await
    }
}

/// Returns the names by which the rows of some keys are locked.
fn subjects<'a>(keys: impl IntoIterator<Item = &'a QuotaKey>) -> Vec<String> {
    let name = |key: &QuotaKey| [key.party, &key.caller, &key.server, &key.tool].join("\n");
    keys.into_iter().map(name).collect()
}

/// Spends units from all quotas, or from none.
fn spend(
    connection: &Connection<'_>,
    day: Date,
    shares: &[QuotaShare],
    units: u64,
) -> Result<SpendOutcome, StoreError> {
    let today = day.to_string();
    let mut new = 0;
    for (at, share) in shares.iter().enumerate() {
        let used = used(connection, &today, &share.key)?;
        new += usize::from(used.is_none());
        let used = used.unwrap_or(0);
        if used.saturating_add(units) > share.limit {
            return Ok(SpendOutcome::Exhausted { at, used });
        }
    }
    if new > 0 {
        forget(connection, &today)?;
        let sql = "SELECT count(*) AS quotas FROM quotas WHERE day = $1";
        let count = connection.row(sql, &params![&today])?.map_or(Ok(0), |row| row.needed_integer("quotas"));
        check_room(usize::try_from(count.map_err(StoreError::new)?).unwrap_or(usize::MAX), new)?;
    }
    for QuotaShare { key, limit: _ } in shares {
        connection.execute(
            "INSERT INTO quotas (day, party, caller, server, tool, used) VALUES ($1, $2, $3, $4, $5, $6) \
             ON CONFLICT (day, party, caller, server, tool) DO UPDATE SET used = quotas.used + excluded.used",
            &params![&today, key.party, &key.caller, &key.server, &key.tool, units],
        )?;
    }
    Ok(SpendOutcome::Spent)
}

/// Gives back units.
fn give_back(
    connection: &Connection<'_>,
    day: Date,
    keys: &[QuotaKey],
    units: u64,
) -> Result<(), StoreError> {
    // A negative number was written by hand, and stays as it is.
    let sql = format!(
        "UPDATE quotas SET used = CASE WHEN used > $6 THEN used - $6 ELSE 0 END WHERE {ROW} AND used > 0"
    );
    for key in keys {
        let of_day = params![day.to_string(), key.party, &key.caller, &key.server, &key.tool, units];
        connection.execute(&sql, &of_day)?;
    }
    Ok(())
}

/// Removes all days except the current one and the latest others. The days are found individually, so that the rows of a day are not read.
fn forget(connection: &Connection<'_>, today: &str) -> Result<(), StoreError> {
    // After every date, in the order of every language.
    let (mut day, mut kept) = ("9999-99-99".to_owned(), 0);
    while kept < KEPT_DAYS {
        let before = connection.row("SELECT max(day) AS day FROM quotas WHERE day < $1", &params![&day])?;
        let Some(row) = before else { return Ok(()) };
        let Some(next) = row.text("day").map_err(StoreError::new)? else { return Ok(()) };
        kept += usize::from(next != today);
        day = next.to_owned();
    }
    connection.execute("DELETE FROM quotas WHERE day < $1 AND day <> $2", &params![day, today]).map(drop)
}

/// Returns the used units of a key. An invalid number, written by hand, counts as used up.
fn used(connection: &Connection<'_>, day: &str, key: &QuotaKey) -> Result<Option<u64>, StoreError> {
    let row = connection.row(
        &format!("SELECT used FROM quotas WHERE {ROW}"),
        &params![day, key.party, &key.caller, &key.server, &key.tool],
    )?;
    Ok(row.map(|row| units(&row)))
}

/// Returns the units of a row. An invalid number counts as used up.
fn units(row: &Row) -> u64 {
    row.needed_integer("used").map_or(u64::MAX, |used| used.try_into().unwrap_or(u64::MAX))
}

/// Returns the used units of a row; `None` for an unknown kind of subject.
fn used_quota(row: &Row) -> Result<Option<UsedQuota>, String> {
    let party = row.needed("party")?;
    let Some(party) = PARTIES.into_iter().find(|known| *known == party) else { return Ok(None) };
    let name = |column| row.needed(column).map(str::to_owned);
    let key = QuotaKey { party, caller: name("caller")?, server: name("server")?, tool: name("tool")? };
    Ok(Some(UsedQuota { key, units: units(row) }))
}
