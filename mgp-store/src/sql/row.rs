//! Rows, which may have been edited by hand.

use super::Value;
use std::{fmt::Display, str::FromStr, sync::Arc};

/// A row of an answer. The errors of its methods give the column's name and the content found.
#[derive(Debug, Clone)]
pub struct Row {
    columns: Arc<[String]>,
    values: Vec<Value<'static>>,
}

impl Row {
    pub(super) fn new(columns: &Arc<[String]>, values: Vec<Value<'static>>) -> Self {
        Self { columns: columns.clone(), values }
    }

    /// Returns all values, in the order of the columns.
    #[cfg(feature = "postgres")]
    pub(super) fn into_values(self) -> Vec<Value<'static>> {
        self.values
    }

    /// Returns the value of a column.
    ///
    /// # Errors
    /// If the answer has no such column.
    pub fn value(&self, column: &str) -> Result<&Value<'static>, String> {
        let at = self.columns.iter().position(|name| name == column);
        at.and_then(|at| self.values.get(at)).ok_or_else(|| format!("missing {column}"))
    }

    /// Returns a text; `None` for no value.
    ///
    /// # Errors
    /// If the value is of another type.
    pub fn text(&self, column: &str) -> Result<Option<&str>, String> {
        match self.value(column)? {
            Value::Null => Ok(None),
            Value::Text(text) => Ok(Some(text)),
            other => Err(unexpected(column, "text", other)),
        }
    }

    /// Returns a text that must be there.
    ///
    /// # Errors
    /// If there is no value, or one of another type.
    pub fn needed(&self, column: &str) -> Result<&str, String> {
        self.text(column)?.ok_or_else(|| format!("missing {column}"))
    }

    /// Returns a number; `None` for no value.
    ///
    /// # Errors
    /// If the value is of another type.
    pub fn integer(&self, column: &str) -> Result<Option<i64>, String> {
        match self.value(column)? {
            Value::Null => Ok(None),
            Value::Integer(number) => Ok(Some(*number)),
            other => Err(unexpected(column, "a number", other)),
        }
    }

    /// Returns a number that must be there.
    ///
    /// # Errors
    /// If there is no value, or one of another type.
    pub fn needed_integer(&self, column: &str) -> Result<i64, String> {
        self.integer(column)?.ok_or_else(|| format!("missing {column}"))
    }

    /// Returns a flag: 0 or 1.
    ///
    /// # Errors
    /// If the value is another one.
    pub fn flag(&self, column: &str) -> Result<bool, String> {
        match self.needed_integer(column)? {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(format!("invalid {column}: expected 0 or 1, found {other}")),
        }
    }

    /// Returns bytes; `None` for no value.
    ///
    /// # Errors
    /// If the value is of another type.
    pub fn bytes(&self, column: &str) -> Result<Option<&[u8]>, String> {
        match self.value(column)? {
            Value::Null => Ok(None),
            Value::Bytes(bytes) => Ok(Some(bytes)),
            other => Err(unexpected(column, "bytes", other)),
        }
    }

    /// Returns the value whose name is in a column.
    ///
    /// # Errors
    /// If there is no name, or an unknown one.
    pub fn named<T: FromStr<Err: Display>>(&self, column: &str) -> Result<T, String> {
        self.needed(column)?.parse().map_err(|error| format!("invalid {column}: {error}"))
    }
}

fn unexpected(column: &str, expected: &str, found: &Value<'_>) -> String {
    format!("invalid {column}: expected {expected}, found {}", found.kind())
}
