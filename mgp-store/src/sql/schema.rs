//! The tables of a section.

use crate::sqlite::Synchronous;
use rusqlite_migration::{M, Migrations};

/// The tables of a section, as steps in the order of the versions that added them. A store runs the steps that its tables have not had yet.
///
/// ```
/// use mgp_store::{sql::Schema, sqlite::Synchronous};
///
/// const NOTES: Schema = Schema {
///     section: "notes",
///     synchronous: Synchronous::Normal,
///     sqlite: &["CREATE TABLE notes (id TEXT PRIMARY KEY, at INTEGER NOT NULL, content BLOB NOT NULL) STRICT;"],
///     postgres: None,
/// };
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Schema {
    /// The name of the section, by which its tables' version, changes and locks are kept.
    pub section: &'static str,
    /// The durability of what is written.
    pub synchronous: Synchronous,
    /// The steps for SQLite. The names of tables are unique among all sections.
    pub sqlite: &'static [&'static str],
    /// The steps for PostgreSQL, whose tables never had an older form. `None` for those of SQLite with PostgreSQL's names of types.
    pub postgres: Option<&'static [&'static str]>,
}

/// The names of types and properties of tables in SQLite and in PostgreSQL.
#[cfg(feature = "postgres")]
const TRANSLATIONS: [(&str, &str); 4] =
    [(" INTEGER", " BIGINT"), (" BLOB", " BYTEA"), (" STRICT, WITHOUT ROWID", ""), (" STRICT", "")];

impl Schema {
    pub(super) fn migrations(&self) -> Migrations<'static> {
        Migrations::new(self.sqlite.iter().map(|step| M::up(step)).collect())
    }

    /// Returns the steps for PostgreSQL.
    #[cfg(feature = "postgres")]
    pub(super) fn postgres_steps(&self) -> Vec<String> {
        let translated = |step: &&str| {
            TRANSLATIONS.iter().fold((*step).to_owned(), |step, (from, to)| step.replace(from, to))
        };
        match self.postgres {
            Some(steps) => steps.iter().map(|step| (*step).to_owned()).collect(),
            None => self.sqlite.iter().map(translated).collect(),
        }
    }
}
