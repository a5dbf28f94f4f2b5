//! Reads tables row by row, within bounded memory.

use super::layout::Table;
use crate::{
    StoreError,
    sql::{Connection, Value, connection::Engine, params, sqlite},
};
use std::collections::BTreeSet;

/// The largest number of rows that PostgreSQL is asked for at once.
const FETCHED: usize = 512;
/// The size of fetched rows, in bytes, above which fewer are fetched the next time.
const MANY_BYTES: usize = 1 << 20;

/// Calls `with` for each row of a table, until it returns `false`. `connection` is a transaction.
pub(super) fn each_row(
    connection: &Connection<'_>,
    table: &Table,
    mut with: impl FnMut(Vec<Value<'static>>) -> Result<bool, StoreError>,
) -> Result<(), StoreError> {
    match &connection.0 {
        Engine::Sqlite(connection) => sqlite::each_row(connection, &table.select(), with),
        Engine::Postgres(_) => {
            check_columns(connection, table)?;
            // A cursor, because the tables have no key by which all of them could be read in parts.
            let cursor = format!("mgp_copy_{}", table.name);
            connection.execute(&format!("DECLARE {cursor} NO SCROLL CURSOR FOR {}", table.select()), &[])?;
            let mut count = 16;
            loop {
                let rows = connection.rows(&format!("FETCH FORWARD {count} FROM {cursor}"), &[])?;
                let (fetched, mut bytes) = (rows.len(), 0);
                for row in rows {
                    let values = row.into_values();
                    bytes += values.iter().map(size).sum::<usize>();
                    if !with(values)? {
                        return Ok(());
                    }
                }
                if fetched < count {
                    return connection.execute(&format!("CLOSE {cursor}"), &[]).map(drop);
                }
                count = if bytes > MANY_BYTES { count.div_ceil(4) } else { (count * 2).min(FETCHED) };
            }
        }
    }
}

/// Returns the size of a value in memory, in bytes.
pub(super) fn size(value: &Value<'_>) -> usize {
    size_of::<Value<'_>>()
        + match value {
            Value::Null | Value::Integer(_) => 0,
            Value::Text(text) => text.len(),
            Value::Bytes(bytes) => bytes.len(),
        }
}

/// Checks that a table of PostgreSQL has no column that a copy would lose.
fn check_columns(connection: &Connection<'_>, table: &Table) -> Result<(), StoreError> {
    let sql = "SELECT CAST(column_name AS TEXT) AS name FROM information_schema.columns \
               WHERE table_schema = current_schema() AND table_name = $1";
    let known: BTreeSet<_> = table.columns.iter().map(|column| column.name.as_str()).collect();
    for row in connection.rows(sql, &params![&table.name])? {
        let name = row.needed("name").map_err(StoreError::new)?;
        if !known.contains(name) {
            let problem =
                format!("table {}: the column {name} of PostgreSQL is not in SQLite's table", table.name);
            return Err(StoreError::new(problem));
        }
    }
    Ok(())
}
