//! The number of rows of a table, and the digest of their values.

use super::{
    digest::ContentDigest,
    layout::{Layout, Table},
    rows::each_row,
};
use crate::{
    StoreError,
    sql::{Connection, Database, Value},
};

/// The content of a table. Two tables with equal contents have the same rows, in any order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableContent {
    /// The name of the table.
    pub table: String,
    /// The number of rows.
    pub rows: u64,
    /// The digest of the rows.
    pub digest: ContentDigest,
    /// The first column in which a text with the character NUL was found, which PostgreSQL refuses.
    pub nul: Option<String>,
}

/// Reads the contents of a section's tables, all at one time.
///
/// # Errors
/// [`StoreError`] of the engine, and for a value of another type than its column's, with the table and the column.
///
/// # Panics
/// Outside a tokio runtime.
pub async fn content(database: &Database, layout: &Layout) -> Result<Vec<TableContent>, StoreError> {
    let layout = layout.clone();
    let read = move |connection: &Connection<'_>| {
        connection.begin_snapshot()?;
        layout.tables.iter().map(|table| table_content(connection, table)).collect()
    };
    // A transaction that keeps nothing.
    database.foresee_for(Vec::new(), read).await
}

/// Reads the content of one table. `connection` is a transaction.
pub(super) fn table_content(connection: &Connection<'_>, table: &Table) -> Result<TableContent, StoreError> {
    let mut content = TableContent::empty(table);
    each_row(connection, table, |row| {
        content.add(table, &row)?;
        Ok(true)
    })?;
    Ok(content)
}

impl TableContent {
    /// Creates the content of an empty table.
    pub(super) fn empty(table: &Table) -> Self {
        Self { table: table.name.clone(), rows: 0, digest: ContentDigest::default(), nul: None }
    }

    /// Adds a row, and checks its values.
    pub(super) fn add(&mut self, table: &Table, row: &[Value<'_>]) -> Result<(), StoreError> {
        for (column, value) in table.columns.iter().zip(row) {
            column.check(value).map_err(|problem| {
                StoreError::new(format!("table {}, column {}: {problem}", table.name, column.name))
            })?;
            if self.nul.is_none() && matches!(value, Value::Text(text) if text.contains('\0')) {
                self.nul = Some(column.name.clone());
            }
        }
        self.rows += 1;
        self.digest.add(row);
        Ok(())
    }
}
