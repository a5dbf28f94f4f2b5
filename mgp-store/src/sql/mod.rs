//! Tables of a section in SQLite or PostgreSQL, with statements that both engines understand.
//!
//! A section's store is written once. Its statements keep to what both engines have:
//!
//! | instead of | statements use |
//! |---|---|
//! | `?1`, `:name` | `$1`, numbered from 1 |
//! | `INSERT OR REPLACE` | `INSERT .. ON CONFLICT (..) DO UPDATE SET .. = excluded..` |
//! | `ifnull(a, b)`, `iif(a, b, c)` | `coalesce(a, b)`, `CASE WHEN a THEN b ELSE c END` |
//! | `max(a, b)` of two values | `CASE WHEN a > b THEN a ELSE b END` |
//! | `a IS b` | `a IS NOT DISTINCT FROM b` |
//! | a flag as a condition | `flag <> 0` |
//! | `unixepoch()`, `clock_timestamp()` | the expression of [`Connection::clock`] |
//! | `rowid`, triggers, JSON operators | columns that the store fills |
//!
//! Columns have one of three types: 64-bit integers, texts and bytes. Only the tables themselves are written for each engine, in a [`Schema`],
//! because their types have other names.

mod connection;
#[cfg(feature = "postgres")]
pub mod copy;
mod database;
mod days;
mod memory;
#[cfg(feature = "postgres")]
pub mod postgres;
mod row;
mod schema;
mod sqlite;
mod store;
#[cfg(test)]
mod tests;
mod value;

pub use connection::Connection;
pub use database::Database;
pub use days::DayTable;
pub use row::Row;
pub use schema::Schema;
pub use store::SqlStore;
pub use value::Value;

/// Makes the parameters of a statement from values that convert into [`Value`].
///
/// ```
/// use mgp_store::sql::{Value, params};
///
/// assert_eq!(params!["a", 7_i64, None::<&str>], [Value::from("a"), Value::Integer(7), Value::Null]);
/// ```
#[macro_export]
#[doc(hidden)]
macro_rules! __params {
    ($($value:expr),* $(,)?) => { [$($crate::sql::Value::from($value)),*] };
}

#[doc(inline)]
pub use crate::__params as params;
