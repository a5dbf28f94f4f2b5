//! The error of notes that cannot be used.

use mgp_server_sdk::{ErrorType, Failure};

/// The error of notes that cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NotesError {
    /// The file is from a later version of this program.
    #[error("the notes are of version {found}, expected at most {known}: use a newer mgp")]
    Version {
        /// The version of the file.
        found: i64,
        /// The latest version that this program knows.
        known: i64,
    },
    /// A text is missing or too long.
    #[error("invalid {field}: expected 1 to {limit} bytes, found {found}")]
    Length {
        /// The name of the text.
        field: &'static str,
        /// The length of the text, in bytes.
        found: usize,
        /// The longest text that is allowed, in bytes.
        limit: usize,
    },
    /// The maximum number of notes is reached.
    #[error("there are {0} notes, which is the limit: delete some")]
    Full(i64),
    /// The note does not exist.
    #[error("no note has the id {0}")]
    Missing(i64),
    /// The file cannot be created with access only for its user.
    #[error("failed to use the notes: {0}")]
    File(#[from] std::io::Error),
    /// SQLite failed.
    #[error("failed to use the notes: {0}")]
    Sqlite(#[from] rusqlite::Error),
}

impl From<NotesError> for Failure {
    fn from(error: NotesError) -> Self {
        let error_type = match error {
            NotesError::Length { .. } => ErrorType::ValidationError,
            NotesError::Missing(_) => ErrorType::ResourceNotFound,
            NotesError::Version { .. }
            | NotesError::Full(_)
            | NotesError::File(_)
            | NotesError::Sqlite(_) => ErrorType::ToolExecutionError,
        };
        Self::new(error_type, error)
    }
}
