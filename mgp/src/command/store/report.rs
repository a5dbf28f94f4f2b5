//! The report of a migration.

use crate::{
    error::CliError,
    output::{Outcome, table},
};
use mgp_kernel::{MigratedSection, NOT_MIGRATED};
use serde::Serialize;

/// The JSON form of the answer.
#[derive(Serialize)]
struct MigrationReport<'a> {
    /// True if the sections were copied, and are equal in both places.
    verified: bool,
    sections: Vec<SectionReport<'a>>,
    not_migrated: &'a [&'a str],
}

#[derive(Serialize)]
struct SectionReport<'a> {
    section: &'a str,
    tables: Vec<TableReport<'a>>,
}

#[derive(Serialize)]
struct TableReport<'a> {
    table: &'a str,
    rows: u64,
    digest: &'a str,
}

/// Returns a line for each section, and the parts of the state that were not copied.
pub(super) fn report(sections: &[MigratedSection], dry_run: bool) -> Result<Outcome, CliError> {
    let result = if dry_run { "not copied (dry run)" } else { "copied, equal in both" };
    let row = |section: &MigratedSection| {
        let tables: Vec<_> =
            section.tables.iter().map(|table| format!("{} {}", table.table, table.rows)).collect();
        [section.section.to_owned(), tables.join(", "), result.to_owned()]
    };
    let text = table(["section", "rows of its tables", "result"], sections.iter().map(row));
    let json = MigrationReport {
        verified: !dry_run,
        sections: sections.iter().map(SectionReport::new).collect(),
        not_migrated: &NOT_MIGRATED,
    };
    let note = format!("not part of a migration, and left in the folder: {}", NOT_MIGRATED.join(", "));
    Ok(Outcome::new(text, &json)?.with_notes([note]))
}

impl<'a> SectionReport<'a> {
    fn new(section: &'a MigratedSection) -> Self {
        let tables = section.tables.iter().map(|table| TableReport {
            table: &table.table,
            rows: table.rows,
            digest: &table.digest,
        });
        Self { section: section.section, tables: tables.collect() }
    }
}
