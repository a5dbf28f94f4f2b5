//! Finds rows in a target, and deletes copied ones again.

use super::{
    content::{TableContent, table_content},
    layout::{Layout, Table},
};
use crate::{
    StoreError,
    sql::{Connection, Database},
};

/// Returns the first table of a section that has rows.
///
/// # Errors
/// [`StoreError`] of the engine.
///
/// # Panics
/// Outside a tokio runtime.
pub async fn table_with_rows(database: &Database, layout: &Layout) -> Result<Option<String>, StoreError> {
    let layout = layout.clone();
    let read = move |connection: &Connection<'_>| {
        for table in &*layout.tables {
            if has_rows(connection, table)? {
                return Ok(Some(table.name.clone()));
            }
        }
        Ok(None)
    };
    database.read(read).await
}

pub(super) fn has_rows(connection: &Connection<'_>, table: &Table) -> Result<bool, StoreError> {
    let sql = format!("SELECT 1 AS one FROM \"{}\" LIMIT 1", table.name);
    Ok(connection.row(&sql, &[])?.is_some())
}

/// Deletes all rows of a section's tables in one transaction, if they still have the contents that [`transfer`](super::transfer) returned.
///
/// # Errors
/// [`StoreError`] of the engine, and for a table that has changed. Nothing is deleted then.
///
/// # Panics
/// Outside a tokio runtime.
pub async fn clear(
    database: &Database,
    layout: &Layout,
    written: Vec<TableContent>,
) -> Result<(), StoreError> {
    // Copied rows may be private.
    database.erase_deleted()?;
    let layout = layout.clone();
    let delete = move |connection: &Connection<'_>| {
        for (table, written) in layout.tables.iter().zip(&written) {
            if table_content(connection, table)? != *written {
                return Err(StoreError::new(format!("table {} was changed by another process", table.name)));
            }
            connection.execute(&format!("DELETE FROM \"{}\"", table.name), &[])?;
        }
        Ok(())
    };
    database.write(delete).await
}
