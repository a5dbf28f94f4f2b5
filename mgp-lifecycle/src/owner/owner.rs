//! The mark of an opened store.

use super::{
    file::{self, FileMark},
    row::{self, RowMark},
};
use mgp_store::{
    StoreError,
    sql::{Connection, Database, Schema},
    sqlite::Turn,
};
use std::{fmt::Display, io, path::Path};

/// The mark of one opened store, by which other processes see whether its process still runs.
#[derive(Debug)]
pub(crate) struct Owner {
    id: String,
    mark: Mark,
}

#[derive(Debug)]
enum Mark {
    /// The store is in memory, so no other process has it.
    None,
    File(FileMark),
    Row(RowMark),
}

impl Owner {
    /// Returns the owner of a store in memory, which no other process has.
    pub(crate) fn only() -> Self {
        Self { id: "here".into(), mark: Mark::None }
    }

    /// Opens a file of SQLite, and marks the process in a folder next to it. Blocks on the disk.
    pub(crate) fn open(path: &Path, schema: &Schema) -> Result<(Database, Self), StoreError> {
        let error = |problem: &dyn Display| StoreError::new(format!("{}: {problem}", path.display()));
        let turn = Turn::at(path).map_err(|problem| error(&problem))?;
        let database = Database::open_in_turn(path, &turn, schema)?;
        // Answers and steps hold private data, which should be erased with their row.
        database.erase_deleted()?;
        let enter = || {
            let id = new_id()?;
            let mark = FileMark::enter(path, &id)?;
            mark.bury()?;
            io::Result::Ok(Self { id, mark: Mark::File(mark) })
        };
        Ok((database, enter().map_err(|problem| error(&problem))?))
    }

    /// Marks the process in a table of PostgreSQL with the columns `id` and `seen_at`.
    pub(crate) async fn enter_table(database: Database, table: &'static str) -> Result<Self, StoreError> {
        let id = new_id().map_err(|error| StoreError::new(error.to_string()))?;
        Ok(Self { mark: Mark::Row(RowMark::enter(database, table, &id).await?), id })
    }

    /// Returns whether a process that runs has opened a file of SQLite. Changes nothing. Blocks on the disk.
    pub(crate) fn is_open(path: &Path) -> Result<bool, StoreError> {
        file::is_marked(path).map_err(|problem| StoreError::new(format!("{}: {problem}", path.display())))
    }

    /// Returns whether a process that runs has a mark in a table of PostgreSQL.
    pub(crate) async fn is_table_entered(
        database: &Database,
        table: &'static str,
    ) -> Result<bool, StoreError> {
        row::is_marked(database, table).await
    }

    /// Returns the id by which rows name the store.
    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    /// Returns whether the process of an owner still runs. An owner whose state is unknown counts as running, because its call must
    /// not be made twice.
    pub(crate) fn is_alive(&self, connection: &Connection<'_>, id: &str) -> Result<bool, StoreError> {
        if id == self.id {
            return Ok(true);
        }
        match &self.mark {
            Mark::None => Ok(false),
            Mark::File(mark) => Ok(mark.is_alive(id)),
            Mark::Row(mark) => mark.is_alive(connection, id),
        }
    }

    /// Checks that the other processes know that this one runs.
    ///
    /// # Errors
    /// [`StoreError`] if they may take it for gone, so that it must not begin a call.
    pub(crate) async fn check(&self) -> Result<(), StoreError> {
        match &self.mark {
            Mark::None | Mark::File(_) => Ok(()),
            Mark::Row(mark) => mark.check().await,
        }
    }

    /// Lets the last renewal be as long ago as if the database had been away.
    #[cfg(test)]
    pub(crate) fn lapse(&self) {
        if let Mark::Row(mark) = &self.mark {
            mark.lapse();
        }
    }

    /// Removes the marks of processes that are gone. Files are removed when a store is opened.
    pub(crate) fn bury(&self, connection: &Connection<'_>) -> Result<(), StoreError> {
        match &self.mark {
            Mark::None | Mark::File(_) => Ok(()),
            Mark::Row(mark) => mark.bury(connection),
        }
    }
}

/// Returns an id that no other process has.
pub(crate) fn new_id() -> io::Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
