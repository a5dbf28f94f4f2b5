//! Reads columns of rows that may have been edited by hand.

use rusqlite::{Row, types::ValueRef};
use std::{fmt::Display, str::FromStr};

/// Reads a column of text. NULL is `None`.
///
/// # Errors
/// The column's name, and the content found instead.
pub fn text(row: &Row<'_>, column: &str) -> Result<Option<String>, String> {
    let found = match row.get_ref(column) {
        Ok(ValueRef::Null) => return Ok(None),
        Ok(ValueRef::Text(bytes)) => match std::str::from_utf8(bytes) {
            Ok(text) => return Ok(Some(text.to_owned())),
            Err(error) => error.to_string(),
        },
        Ok(other) => other.data_type().to_string(),
        Err(error) => error.to_string(),
    };
    Err(format!("invalid {column}: expected text, found {found}"))
}

/// Reads a column of text that must not be NULL.
///
/// # Errors
/// The errors of [`text`], and one for NULL.
pub fn needed(row: &Row<'_>, column: &str) -> Result<String, String> {
    text(row, column)?.ok_or_else(|| format!("missing {column}"))
}

/// Reads a column that holds one of the names of a type.
///
/// # Errors
/// The column's name, and the content found instead.
pub fn named<T: FromStr<Err: Display>>(row: &Row<'_>, column: &str) -> Result<T, String> {
    needed(row, column)?.parse().map_err(|error| format!("invalid {column}: {error}"))
}
