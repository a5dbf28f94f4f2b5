//! The rows of a store, including unreadable ones.

#[cfg(feature = "sqlite")]
use jiff::Timestamp;
#[cfg(feature = "sqlite")]
use mgp_store::sql::Row;

/// The rows of a store. An unreadable row does not prevent the others from being read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredRows<T, U> {
    /// The rows that can be read.
    pub rows: Vec<T>,
    /// The rows that cannot be read.
    pub unreadable: Vec<U>,
}

impl<T, U> StoredRows<T, U> {
    /// Separates the rows that could be read from those that could not.
    pub fn of(read: impl IntoIterator<Item = Result<T, U>>) -> Self {
        let mut stored = Self { rows: Vec::new(), unreadable: Vec::new() };
        for row in read {
            match row {
                Ok(row) => stored.rows.push(row),
                Err(row) => stored.unreadable.push(row),
            }
        }
        stored
    }
}

/// Logs the newly unreadable rows: each row is logged once, not at every reload.
pub(crate) fn log_unreadable<U: PartialEq + std::fmt::Display>(before: &[U], after: &[U]) {
    for row in after.iter().filter(|row| !before.contains(row)) {
        tracing::error!("{row}");
    }
}

/// Reads a time, in microseconds since 1970; `None` for no value.
///
/// # Errors
/// The column's name, and the content found instead.
#[cfg(feature = "sqlite")]
pub(crate) fn time(row: &Row, column: &str) -> Result<Option<Timestamp>, String> {
    let micros = row.integer(column)?;
    micros.map(Timestamp::from_microsecond).transpose().map_err(|error| format!("invalid {column}: {error}"))
}

/// Reads a time that must be there.
///
/// # Errors
/// The column's name, and the content found instead.
#[cfg(feature = "sqlite")]
pub(crate) fn needed_time(row: &Row, column: &str) -> Result<Timestamp, String> {
    time(row, column)?.ok_or_else(|| format!("missing {column}"))
}
