//! Tables of SQLite in memory.

use super::{Schema, sqlite::store_error};
use crate::StoreError;
use parking_lot::{MappedMutexGuard, Mutex, MutexGuard};

/// The tables of a section in memory, which are created at their first use. A kernel in memory needs few of its sections.
pub(super) struct MemoryTables {
    schema: &'static Schema,
    connection: Mutex<Option<rusqlite::Connection>>,
}

impl MemoryTables {
    pub(super) fn new(schema: &'static Schema) -> Self {
        Self { schema, connection: Mutex::new(None) }
    }

    /// Waits for the connection.
    pub(super) fn lock(&self) -> Result<MappedMutexGuard<'_, rusqlite::Connection>, StoreError> {
        self.opened(self.connection.lock())
    }

    /// Returns the connection unless another closure uses it.
    pub(super) fn try_lock(&self) -> Option<Result<MappedMutexGuard<'_, rusqlite::Connection>, StoreError>> {
        self.connection.try_lock().map(|guard| self.opened(guard))
    }

    fn opened<'a>(
        &self,
        mut guard: MutexGuard<'a, Option<rusqlite::Connection>>,
    ) -> Result<MappedMutexGuard<'a, rusqlite::Connection>, StoreError> {
        if guard.is_none() {
            let mut connection =
                rusqlite::Connection::open_in_memory().map_err(|error| store_error(&error))?;
            let migrated = self.schema.migrations().to_latest(&mut connection);
            migrated.map_err(|error| StoreError::new(error.to_string()))?;
            *guard = Some(connection);
        }
        MutexGuard::try_map(guard, Option::as_mut).map_err(|_| StoreError::new("no tables in memory"))
    }
}
