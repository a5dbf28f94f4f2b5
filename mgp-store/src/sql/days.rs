//! Tables that are divided by days.

use super::{Connection, connection::Engine, params};
use crate::StoreError;

/// A table whose rows have their day in the column `day`, so that the rows of a day are removed at once. In PostgreSQL, each day is a
/// partition. The table `days` lists the days, in a column `day`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DayTable {
    /// The name of the table.
    pub name: &'static str,
    /// The name of the table of its days.
    pub days: &'static str,
}

impl DayTable {
    /// Adds days, unless they exist. `connection` is a transaction of [`Database::write`](super::Database::write).
    ///
    /// # Errors
    /// [`StoreError`] with the engine's error, and for a day before 1970.
    pub fn add(
        &self,
        connection: &Connection<'_>,
        days: impl IntoIterator<Item = i64>,
    ) -> Result<(), StoreError> {
        let Self { name, days: table } = self;
        let insert = format!("INSERT INTO {table} (day) VALUES ($1) ON CONFLICT (day) DO NOTHING");
        for day in days {
            if day < 0 {
                return Err(StoreError::new(format!(
                    "day of {name}: expected one from 1970 on, found {day}"
                )));
            }
            if connection.execute(&insert, &params![day])? == 0 {
                continue;
            }
            match &connection.0 {
                Engine::Sqlite(_) => {}
                #[cfg(feature = "postgres")]
                Engine::Postgres(connection) => connection.batch(&format!(
                    "CREATE TABLE {name}_{day} PARTITION OF {name} FOR VALUES FROM ({day}) TO ({})",
                    day + 1
                ))?,
            }
        }
        Ok(())
    }

    /// Returns the days before a day that exist, in their order.
    ///
    /// # Errors
    /// [`StoreError`] with the engine's error.
    pub fn before(&self, connection: &Connection<'_>, day: i64) -> Result<Vec<i64>, StoreError> {
        let select = format!("SELECT day FROM {} WHERE day < $1 ORDER BY day", self.days);
        let found = connection.rows(&select, &params![day])?;
        found.iter().map(|row| row.needed_integer("day").map_err(StoreError::new)).collect()
    }

    /// Removes a day with its rows. `connection` is a transaction of [`Database::write`](super::Database::write).
    ///
    /// # Errors
    /// [`StoreError`] with the engine's error.
    pub fn remove(&self, connection: &Connection<'_>, day: i64) -> Result<(), StoreError> {
        let Self { name, days } = self;
        match &connection.0 {
            Engine::Sqlite(_) => {
                connection.execute(&format!("DELETE FROM {name} WHERE day = $1"), &params![day])?;
            }
            #[cfg(feature = "postgres")]
            Engine::Postgres(connection) => connection.batch(&format!("DROP TABLE {name}_{day}"))?,
        }
        connection.execute(&format!("DELETE FROM {days} WHERE day = $1"), &params![day]).map(drop)
    }
}
