//! SQLite behind the statements that both engines understand.

use super::{Row, Value};
use crate::{StoreError, sqlite::reason};
use rusqlite::{
    Connection, Statement,
    types::{ToSqlOutput, ValueRef},
};
use std::sync::Arc;

pub(super) fn execute(connection: &Connection, sql: &str, params: &[Value<'_>]) -> Result<usize, StoreError> {
    let run = || {
        let mut statement = connection.prepare_cached(sql)?;
        bind(&mut statement, params)?;
        // A statement that returns rows is run to its end.
        if statement.column_count() > 0 {
            let mut rows = statement.raw_query();
            let mut count = 0;
            while rows.next()?.is_some() {
                count += 1;
            }
            return Ok(count);
        }
        statement.raw_execute()
    };
    run().map_err(|error| store_error(&error))
}

pub(super) fn rows(connection: &Connection, sql: &str, params: &[Value<'_>]) -> Result<Vec<Row>, StoreError> {
    let run = || {
        let mut statement = connection.prepare_cached(sql)?;
        bind(&mut statement, params)?;
        let columns: Arc<[String]> = statement.column_names().into_iter().map(str::to_owned).collect();
        let mut found = statement.raw_query();
        let mut rows = Vec::new();
        while let Some(row) = found.next()? {
            let values = (0..columns.len()).map(|at| row.get_ref(at).map(owned));
            rows.push(Row::new(&columns, values.collect::<rusqlite::Result<_>>()?));
        }
        Ok(rows)
    };
    run().map_err(|error| store_error(&error))
}

/// Calls `with` for each row of a query without parameters, until it returns `false`.
#[cfg(feature = "postgres")]
pub(super) fn each_row(
    connection: &Connection,
    sql: &str,
    mut with: impl FnMut(Vec<Value<'static>>) -> Result<bool, StoreError>,
) -> Result<(), StoreError> {
    let failed = |error: rusqlite::Error| store_error(&error);
    let mut statement = connection.prepare(sql).map_err(failed)?;
    let width = statement.column_count();
    let mut found = statement.raw_query();
    while let Some(row) = found.next().map_err(failed)? {
        let values = (0..width).map(|at| row.get_ref(at).map(owned)).collect::<rusqlite::Result<_>>();
        if !with(values.map_err(failed)?)? {
            break;
        }
    }
    Ok(())
}

/// Binds parameters. SQLite numbers `$1`, `$2` in the order in which they first stand in the statement.
fn bind(statement: &mut Statement<'_>, params: &[Value<'_>]) -> rusqlite::Result<()> {
    let mut used = 0;
    for index in 1..=statement.parameter_count() {
        let number = statement.parameter_name(index).and_then(|name| name.strip_prefix('$')?.parse().ok());
        let value = number.and_then(|number: usize| params.get(number.checked_sub(1)?));
        let Some(value) = value else {
            return Err(rusqlite::Error::InvalidParameterCount(params.len(), statement.parameter_count()));
        };
        statement.raw_bind_parameter(index, bound(value))?;
        used += 1;
    }
    if used != params.len() {
        return Err(rusqlite::Error::InvalidParameterCount(params.len(), used));
    }
    Ok(())
}

fn bound<'a>(value: &'a Value<'_>) -> ToSqlOutput<'a> {
    ToSqlOutput::Borrowed(match value {
        Value::Null => ValueRef::Null,
        Value::Integer(number) => ValueRef::Integer(*number),
        Value::Text(text) => ValueRef::Text(text.as_bytes()),
        Value::Bytes(bytes) => ValueRef::Blob(bytes),
    })
}

/// Returns the value of a column. A number with a fraction and a text that is not Unicode, which only a file edited by hand has, are bytes
/// that no reader expects.
fn owned(value: ValueRef<'_>) -> Value<'static> {
    match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => Value::Integer(number),
        ValueRef::Real(number) => Value::Bytes(number.to_be_bytes().to_vec().into()),
        ValueRef::Text(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => Value::Text(text.to_owned().into()),
            Err(_) => Value::Bytes(bytes.to_vec().into()),
        },
        ValueRef::Blob(bytes) => Value::Bytes(bytes.to_vec().into()),
    }
}

pub(super) fn store_error(error: &rusqlite::Error) -> StoreError {
    StoreError::new(reason(error))
}
