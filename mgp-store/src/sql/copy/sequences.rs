//! Advances PostgreSQL's sequences after a copy.

use super::layout::Table;
use crate::{
    StoreError,
    sql::{Connection, connection::Engine, params},
};

/// Makes the identity columns of a table continue after their largest value. SQLite does so by itself.
pub(super) fn advance(connection: &Connection<'_>, table: &Table) -> Result<(), StoreError> {
    if matches!(connection.0, Engine::Sqlite(_)) {
        return Ok(());
    }
    let sql = "SELECT CAST(column_name AS TEXT) AS name FROM information_schema.columns \
               WHERE table_schema = current_schema() AND table_name = $1 \
               AND (is_identity = 'YES' OR column_default LIKE 'nextval(%')";
    for row in connection.rows(sql, &params![&table.name])? {
        let column = row.needed("name").map_err(StoreError::new)?;
        // An empty table gives no value, so its sequence begins at its start. A sequence has no value below 1.
        let sql = format!(
            "SELECT setval(pg_get_serial_sequence($1, $2), max(\"{column}\")) AS last FROM \"{}\" HAVING max(\"{column}\") >= 1",
            table.name
        );
        connection.rows(&sql, &params![&format!("\"{}\"", table.name), column])?;
    }
    Ok(())
}
