//! The stores of sections.

use super::{Database, Schema};
use crate::StoreError;
use std::path::Path;

/// A store that keeps one section in a [`Database`].
pub trait SqlStore: Sized {
    /// The tables of the section.
    const SCHEMA: &'static Schema;

    /// Uses tables that were opened with [`SCHEMA`](Self::SCHEMA).
    #[must_use]
    fn new(database: Database) -> Self;

    /// Opens a file of SQLite, and creates it if it is missing. Blocks on the disk.
    ///
    /// # Errors
    /// [`StoreError`], naming the file.
    fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        Database::open(path.as_ref(), Self::SCHEMA).map(Self::new)
    }

    /// Creates an empty store in memory, which lives as long as its last clone.
    #[must_use]
    fn in_memory() -> Self {
        Self::new(Database::in_memory(Self::SCHEMA))
    }
}
