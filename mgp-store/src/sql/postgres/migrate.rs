//! Creates and changes the tables of a section.

use super::{connection::PostgresConnection, locks};
use crate::{
    StoreError,
    sql::{Schema, params},
};

/// Returns whether the tables of a section have had all steps. `connection` is outside a transaction.
pub(super) fn is_migrated(connection: &PostgresConnection<'_>, schema: &Schema) -> Result<bool, StoreError> {
    // A query of a missing table would fail.
    let sql = "SELECT count(*) AS tables FROM information_schema.tables WHERE table_schema = current_schema() AND table_name = 'mgp_locks'";
    let row = connection.row(sql, &[])?;
    if row.map_or(Ok(0), |row| row.needed_integer("tables")).map_err(StoreError::new)? == 0 {
        return Ok(false);
    }
    Ok(done(connection, schema)? == schema.postgres_steps().len())
}

/// Returns the number of steps that the tables of a section have had.
fn done(connection: &PostgresConnection<'_>, schema: &Schema) -> Result<usize, StoreError> {
    let sql = "SELECT tables FROM mgp_sections WHERE section = $1";
    let row = connection.row(sql, &params![schema.section])?;
    let done = row.map_or(Ok(0), |row| row.needed_integer("tables")).map_err(StoreError::new)?;
    Ok(usize::try_from(done).unwrap_or(usize::MAX))
}

/// Runs the steps that the tables of a section have not had. `connection` is a transaction: of several processes, one at a time runs them.
pub(super) fn migrate(connection: &PostgresConnection<'_>, schema: &Schema) -> Result<(), StoreError> {
    locks::add(connection, schema.section)?;
    locks::lock_section(connection, schema.section)?;
    let (done, steps) = (done(connection, schema)?, schema.postgres_steps());
    let Some(pending) = steps.get(done..) else {
        return Err(StoreError::new(format!(
            "the tables of section {:?} are of version {done}, and this program knows versions up to {}: use a later version of it",
            schema.section,
            steps.len()
        )));
    };
    for step in pending {
        connection.batch(step)?;
    }
    if !pending.is_empty() {
        let sql = "UPDATE mgp_sections SET tables = $2 WHERE section = $1";
        connection.execute(sql, &params![schema.section, steps.len()])?;
    }
    Ok(())
}
