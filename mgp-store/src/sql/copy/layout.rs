//! The tables and columns of a section.

use crate::{
    StoreError,
    sql::{Connection, Database, Schema, Value, params},
};
use std::sync::Arc;

/// The tables of a section that both engines have, in the order of their names. Clones share them.
#[derive(Debug, Clone)]
pub struct Layout {
    pub(super) tables: Arc<[Table]>,
}

/// A table with its columns.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) name: String,
    pub(super) columns: Vec<Column>,
}

#[derive(Debug)]
pub(super) struct Column {
    pub(super) name: String,
    kind: ColumnKind,
}

#[derive(Debug)]
enum ColumnKind {
    Integer,
    Text,
    Bytes,
}

impl Layout {
    /// Reads the tables that a schema creates.
    ///
    /// # Errors
    /// [`StoreError`] for a schema that SQLite refuses, or one with a column of another type than integer, text or bytes.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    pub async fn of(schema: &'static Schema) -> Result<Self, StoreError> {
        let sql = "SELECT name FROM sqlite_schema WHERE type = 'table' AND substr(name, 1, 7) <> 'sqlite_' ORDER BY name";
        let read = |connection: &Connection<'_>| {
            connection.rows(sql, &[])?.iter().map(|row| Table::read(connection, name(row)?)).collect()
        };
        let tables = Database::in_memory(schema).read(read).await?;
        Ok(Self { tables })
    }

    /// Returns the names of the tables.
    pub fn tables(&self) -> impl Iterator<Item = &str> {
        self.tables.iter().map(|table| table.name.as_str())
    }
}

impl Table {
    fn read(connection: &Connection<'_>, table: String) -> Result<Self, StoreError> {
        let sql = "SELECT name, type AS kind FROM pragma_table_info($1) ORDER BY cid";
        let column = |row: &crate::sql::Row| {
            let name = name(row)?;
            let kind = match row.needed("kind").map_err(StoreError::new)? {
                "INTEGER" => ColumnKind::Integer,
                "TEXT" => ColumnKind::Text,
                "BLOB" => ColumnKind::Bytes,
                other => {
                    let expected = "expected INTEGER, TEXT or BLOB";
                    return Err(StoreError::new(format!(
                        "type of {table}.{name}: found {other}, {expected}"
                    )));
                }
            };
            Ok(Column { name, kind })
        };
        let columns = connection.rows(sql, &params![&table])?.iter().map(column).collect::<Result<_, _>>()?;
        Ok(Self { name: table, columns })
    }

    /// Returns the columns' names, separated by commas.
    pub(super) fn columns(&self) -> String {
        let names: Vec<_> = self.columns.iter().map(|column| format!("\"{}\"", column.name)).collect();
        names.join(", ")
    }

    /// Returns the query of all rows.
    pub(super) fn select(&self) -> String {
        format!("SELECT {} FROM \"{}\"", self.columns(), self.name)
    }
}

impl Column {
    /// Checks that a value has the column's type. A number with a fraction and a text that is not Unicode are read as bytes.
    ///
    /// # Errors
    /// The expected and the found type.
    pub(super) fn check(&self, value: &Value<'_>) -> Result<(), String> {
        let expected = match (&self.kind, value) {
            (_, Value::Null)
            | (ColumnKind::Integer, Value::Integer(_))
            | (ColumnKind::Text, Value::Text(_))
            | (ColumnKind::Bytes, Value::Bytes(_)) => return Ok(()),
            (ColumnKind::Integer, _) => "an integer",
            (ColumnKind::Text, _) => "Unicode text",
            (ColumnKind::Bytes, _) => "bytes",
        };
        Err(format!("expected {expected}, found {}", value.kind()))
    }
}

fn name(row: &crate::sql::Row) -> Result<String, StoreError> {
    Ok(row.needed("name").map_err(StoreError::new)?.to_owned())
}
