//! The errors of a migration.

use super::StateLocation;
use std::path::PathBuf;

/// The error of a migration. Before anything is copied, the target is unchanged. [`Failed`](Self::Failed) reports the rest.
#[derive(Debug, thiserror::Error)]
pub enum MigrationError {
    /// A location is invalid.
    #[error("{0}")]
    Location(String),
    /// The source is not a state folder.
    #[error("there is no state in {}: expected a folder with a file such as access.sqlite3", .0.display())]
    NoState(PathBuf),
    /// The source and the target are the same folder.
    #[error("the source and the target are the same {0}")]
    SameFolder(StateLocation),
    /// A process that runs uses the source or the target. In a database, a process that was killed counts as running for 30 s.
    #[error("a running gateway or another program uses the {0}")]
    InUse(StateLocation),
    /// A table of the target has rows.
    #[error("table {table} of section {section} in the target {location} has rows: expected an empty target")]
    NotEmpty {
        /// The target.
        location: StateLocation,
        /// The section.
        section: &'static str,
        /// The table.
        table: String,
    },
    /// A text of the source cannot be stored in PostgreSQL.
    #[error(
        "section {section}, table {table}, column {column}: found a text with the character NUL, which PostgreSQL cannot store"
    )]
    Nul {
        /// The section.
        section: &'static str,
        /// The table.
        table: String,
        /// The column.
        column: String,
    },
    /// A location cannot be read.
    #[error("{0}")]
    Store(String),
    /// A section was not copied, or is not equal in both locations.
    #[error("section {section}: {reason}")]
    Failed {
        /// The section.
        section: &'static str,
        /// The reason.
        reason: String,
        /// The tables of the target that still have copied rows, because they were changed or cannot be reached. Normally none.
        left: Vec<String>,
    },
}
