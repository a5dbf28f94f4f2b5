//! The places of a kernel's state.

use super::{MigrationError, sections::SECTIONS};
use mgp_lifecycle::transaction::SqlTransactionStore;
use mgp_security::audit::AuditDatabase;
use mgp_store::{
    StoreError,
    private_file::make_private_folder,
    sql::{Database, Schema, SqlStore, postgres::PostgresStore},
};
use std::{
    fmt,
    path::{Path, PathBuf},
};

/// A place of a kernel's state: a state folder, or a PostgreSQL database.
#[derive(Debug, Clone)]
pub struct StateLocation(Kind);

#[derive(Debug, Clone)]
enum Kind {
    Folder(PathBuf),
    Database(PostgresStore),
}

impl StateLocation {
    /// Creates a location from the path of a folder, or from a URL such as `postgres://mgp:secret@db.example.com/mgp`. Opens nothing.
    ///
    /// # Errors
    /// [`MigrationError::Location`] for a URL that is invalid, or has another scheme than `postgres` or `postgresql`. It never has the
    /// password.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    pub fn parse(text: &str) -> Result<Self, MigrationError> {
        if !text.contains("://") {
            return Ok(Self(Kind::Folder(text.into())));
        }
        let store = PostgresStore::new(text);
        store
            .map(|store| Self(Kind::Database(store)))
            .map_err(|error| MigrationError::Location(error.reason().to_owned()))
    }

    /// Returns the path of a folder; `None` for a database.
    #[must_use]
    pub fn folder(&self) -> Option<&Path> {
        match &self.0 {
            Kind::Folder(path) => Some(path),
            Kind::Database(_) => None,
        }
    }

    /// Checks that the location can have state to copy.
    pub(super) fn check_source(&self) -> Result<(), MigrationError> {
        match &self.0 {
            Kind::Folder(folder) if !SECTIONS.iter().any(|schema| file(folder, schema).is_file()) => {
                Err(MigrationError::NoState(folder.clone()))
            }
            _ => Ok(()),
        }
    }

    /// Returns whether two locations are the same folder.
    pub(super) fn is_same_folder(&self, other: &Self) -> bool {
        let real = |location: &Self| location.folder().and_then(|folder| folder.canonicalize().ok());
        real(self).is_some_and(|folder| Some(folder) == real(other))
    }

    /// Returns whether a process that runs uses the state.
    pub(super) async fn is_in_use(&self) -> Result<bool, StoreError> {
        let schema = SqlTransactionStore::SCHEMA;
        match &self.0 {
            Kind::Folder(folder) => SqlTransactionStore::is_open(file(folder, schema)),
            Kind::Database(store) => SqlTransactionStore::is_entered(&store.tables(schema)).await,
        }
    }

    /// Returns the audit trails of a database; `None` for a folder.
    pub(super) fn audit_database(&self) -> Option<AuditDatabase> {
        match &self.0 {
            Kind::Folder(_) => None,
            Kind::Database(store) => Some(AuditDatabase::new(store.tables(AuditDatabase::SCHEMA))),
        }
    }

    /// Creates a missing folder.
    pub(super) fn create(&self) -> Result<(), StoreError> {
        let Kind::Folder(folder) = &self.0 else { return Ok(()) };
        make_private_folder(folder).map_err(|error| StoreError::new(format!("{}: {error}", folder.display())))
    }

    /// Opens the tables of a section. A missing file of a folder is created.
    pub(super) fn open(&self, schema: &'static Schema) -> Result<Database, StoreError> {
        match &self.0 {
            Kind::Folder(folder) => Database::open(&file(folder, schema), schema),
            Kind::Database(store) => Ok(store.tables(schema)),
        }
    }

    /// Opens the tables of a section. A missing file of a folder has empty tables, and is not created.
    pub(super) fn open_existing(&self, schema: &'static Schema) -> Result<Database, StoreError> {
        match &self.0 {
            Kind::Folder(folder) if !file(folder, schema).exists() => Ok(Database::in_memory(schema)),
            _ => self.open(schema),
        }
    }
}

/// Returns the path of a section's file in a state folder.
fn file(folder: &Path, schema: &Schema) -> PathBuf {
    folder.join(format!("{}.sqlite3", schema.section))
}

/// Writes the path of a folder. The URL of a database is left out, because it may have a password.
impl fmt::Display for StateLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::Folder(path) => write!(f, "folder {}", path.display()),
            Kind::Database(_) => f.write_str("database"),
        }
    }
}
