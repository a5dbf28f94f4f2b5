//! Why notes cannot be used.

/// Why notes cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NotesError {
    /// The file is from a later version of this program.
    #[error("the notes are of version {found}, expected at most {known}: use a newer mgp")]
    Version {
        /// What the file says.
        found: i64,
        /// What is known here.
        known: i64,
    },
    /// A text is missing or too long.
    #[error("invalid {field}: expected 1 to {limit} bytes, found {found}")]
    Length {
        /// Which text.
        field: &'static str,
        /// How long it is.
        found: usize,
        /// How long it may be.
        limit: usize,
    },
    /// There are too many notes.
    #[error("there are {0} notes, which is the limit: delete some")]
    Full(i64),
    /// There is no such note.
    #[error("no note has the id {0}")]
    Missing(i64),
    /// SQLite failed.
    #[error("failed to use the notes: {0}")]
    Sqlite(#[from] rusqlite::Error),
}
