//! The files of a trail in a state folder.

use rusqlite::{Connection, OpenFlags};
use std::{fs, io, path::Path};

/// The name of the trail's file in a state folder, and of the folder of its journals.
const TRAIL: &str = "audit.sqlite3";
const JOURNALS: &str = "audit.sqlite3.journals";

/// The pages in use, with those that are only in the write-ahead log yet.
const SIZE: &str = "SELECT (page_count - freelist_count) * page_size
    FROM pragma_page_count, pragma_freelist_count, pragma_page_size";

/// Returns the size of a trail's tables, in bytes. Free pages of the file are not counted, because later events fill them.
pub(super) fn trail(state: &Path) -> Result<i64, String> {
    let path = state.join(TRAIL);
    let file = Connection::open_with_flags(&path, OpenFlags::SQLITE_OPEN_READ_ONLY);
    let size = file.and_then(|file| file.query_row(SIZE, [], |row| row.get(0)));
    size.map_err(|error| format!("failed to read {}: {error}", path.display()))
}

/// Returns the size of the journals of a trail, in bytes. There are none if events are not stored in journals.
pub(super) fn journals(state: &Path) -> Result<i64, String> {
    let path = state.join(JOURNALS);
    let failed = |error: io::Error| format!("failed to read {}: {error}", path.display());
    let entries = match fs::read_dir(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
        entries => entries.map_err(failed)?,
    };
    let mut length = 0;
    for entry in entries {
        length += entry.and_then(|entry| entry.metadata()).map_err(failed)?.len();
    }
    i64::try_from(length).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_of_all_journals_are_counted() {
        let state = tempfile::tempdir().unwrap();
        let write = |name: &str, length: usize| fs::write(state.path().join(name), vec![0; length]).unwrap();
        assert_eq!(journals(state.path()), Ok(0));
        fs::create_dir(state.path().join(JOURNALS)).unwrap();
        write("audit.sqlite3", 100);
        write("audit.sqlite3.journals/a-0", 30);
        write("audit.sqlite3.journals/a-1", 12);
        assert_eq!(journals(state.path()), Ok(42));
    }

    #[test]
    fn pages_of_the_log_are_counted_and_free_ones_are_not() {
        let state = tempfile::tempdir().unwrap();
        assert!(trail(state.path()).unwrap_err().contains(TRAIL));
        let writer = Connection::open(state.path().join(TRAIL)).unwrap();
        let run = |sql: &str| writer.execute_batch(sql).unwrap();
        run("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; CREATE TABLE events (event TEXT)");
        let empty = trail(state.path()).unwrap();
        run("INSERT INTO events VALUES (zeroblob(100000))");
        assert!(trail(state.path()).unwrap() > empty + 90_000);
        run("DELETE FROM events");
        assert_eq!(trail(state.path()), Ok(empty));
    }
}
