//! Notes in an SQLite file.

use super::{NotesError, schema::migrate};
use mgp_store::private_file::PrivateFile;
use parking_lot::Mutex;
use rusqlite::{Connection, OptionalExtension, Row, params};
use std::{path::Path, sync::Arc, time::Duration};

const MAX_TITLE: usize = 200;
const MAX_TEXT: usize = 64 * 1024;
const MAX_NOTES: i64 = 10_000;
const MAX_SHOWN: u32 = 100;

/// Notes in an SQLite file. An added note survives the process, however it ends. Clones share the same file.
#[derive(Debug, Clone)]
pub(crate) struct Notes(Arc<Mutex<Connection>>);

/// One note.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
pub(super) struct Note {
    /// The id, for deleting the note.
    pub(super) id: i64,
    /// Its title.
    pub(super) title: String,
    /// Its text.
    pub(super) text: String,
}

impl Notes {
    /// Opens the file, and creates it if it is missing.
    ///
    /// # Errors
    /// [`NotesError`].
    pub(crate) fn open(file: &Path) -> Result<Self, NotesError> {
        PrivateFile::new(file).create()?;
        let mut connection = Connection::open(file)?;
        connection.busy_timeout(Duration::from_secs(5))?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "synchronous", "NORMAL")?;
        migrate(&mut connection)?;
        Ok(Self(Arc::new(Mutex::new(connection))))
    }

    /// Adds a note and returns its id.
    pub(super) fn add(&self, title: &str, text: &str) -> Result<i64, NotesError> {
        for (field, value, limit) in [("title", title, MAX_TITLE), ("text", text, MAX_TEXT)] {
            if value.is_empty() || value.len() > limit {
                return Err(NotesError::Length { field, found: value.len(), limit });
            }
        }
        let connection = self.0.lock();
        if count(&connection)? >= MAX_NOTES {
            return Err(NotesError::Full(MAX_NOTES));
        }
        connection.execute("INSERT INTO notes (title, text) VALUES (?, ?)", params![title, text])?;
        Ok(connection.last_insert_rowid())
    }

    /// Returns the latest notes, newest first.
    pub(super) fn list(&self, limit: u32) -> Result<Vec<Note>, NotesError> {
        let connection = self.0.lock();
        let mut select =
            connection.prepare_cached("SELECT id, title, text FROM notes ORDER BY id DESC LIMIT ?")?;
        let notes = select.query_map([limit.min(MAX_SHOWN)], note)?.collect::<Result<_, _>>()?;
        Ok(notes)
    }

    /// Returns the notes whose title or text contains a text, ignoring case, newest first.
    pub(super) fn search(&self, text: &str) -> Result<Vec<Note>, NotesError> {
        if text.is_empty() || text.len() > MAX_TITLE {
            return Err(NotesError::Length { field: "text", found: text.len(), limit: MAX_TITLE });
        }
        let connection = self.0.lock();
        let mut select = connection.prepare_cached(
            "SELECT id, title, text FROM notes
             WHERE instr(lower(title), lower(?1)) > 0 OR instr(lower(text), lower(?1)) > 0
             ORDER BY id DESC LIMIT ?2",
        )?;
        let notes = select.query_map(params![text, MAX_SHOWN], note)?.collect::<Result<_, _>>()?;
        Ok(notes)
    }

    /// Deletes a note and returns its title.
    pub(super) fn delete(&self, id: i64) -> Result<String, NotesError> {
        let connection = self.0.lock();
        let deleted =
            connection.query_row("DELETE FROM notes WHERE id = ? RETURNING title", [id], |row| row.get(0));
        deleted.optional()?.ok_or(NotesError::Missing(id))
    }

    /// Returns the number of notes.
    pub(super) fn count(&self) -> Result<i64, NotesError> {
        Ok(count(&self.0.lock())?)
    }
}

fn count(connection: &Connection) -> rusqlite::Result<i64> {
    connection.query_row("SELECT count(*) FROM notes", [], |row| row.get(0))
}

fn note(row: &Row<'_>) -> rusqlite::Result<Note> {
    Ok(Note { id: row.get(0)?, title: row.get(1)?, text: row.get(2)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_persist_when_the_file_is_reopened() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("notes.sqlite3");
        let notes = Notes::open(&file).unwrap();
        let (first, second) = (notes.add("Milk", "two of it").unwrap(), notes.add("Tax", "100%").unwrap());
        drop(notes);
        let notes = Notes::open(&file).unwrap();
        let ids = |notes: Vec<Note>| notes.iter().map(|note| note.id).collect::<Vec<_>>();
        assert_eq!(ids(notes.list(10).unwrap()), [second, first]);
        assert_eq!(ids(notes.list(1).unwrap()), [second]);
        assert_eq!(ids(notes.search("TWO").unwrap()), [first]);
        assert_eq!(ids(notes.search("%").unwrap()), [second], "no character is a wildcard");
        assert_eq!(notes.delete(first).unwrap(), "Milk");
        assert_eq!(notes.delete(first).unwrap_err().to_string(), "no note has the id 1");
        assert_eq!((notes.count().unwrap(), notes.add("New", "x").unwrap()), (1, 3), "ids never come again");
    }

    #[test]
    fn empty_and_overlong_notes_are_refused_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let notes = Notes::open(&folder.path().join("n")).unwrap();
        let error = notes.add("", "x").unwrap_err().to_string();
        assert_eq!(error, "invalid title: expected 1 to 200 bytes, found 0");
        assert!(
            notes.add("x", &"x".repeat(MAX_TEXT + 1)).unwrap_err().to_string().starts_with("invalid text")
        );
        assert!(notes.search("").is_err());
    }

    #[test]
    fn a_file_of_a_later_version_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("n");
        drop(Notes::open(&file).unwrap());
        Connection::open(&file).unwrap().pragma_update(None, "user_version", 7).unwrap();
        let error = Notes::open(&file).unwrap_err().to_string();
        assert_eq!(error, "the notes are of version 7, expected at most 1: use a newer mgp");
    }
}
