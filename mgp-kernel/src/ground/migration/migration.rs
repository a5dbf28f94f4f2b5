//! A migration of all sections.

use super::{MigrationError, StateLocation, sections::SECTIONS, trails};
use mgp_security::audit::TrailCopy;
use mgp_store::{
    StoreError,
    sql::{
        Database, Schema,
        copy::{Layout, TableContent, clear, content, table_with_rows, transfer},
    },
};

/// A migration whose source and target were checked. No process may use either of them until its end.
///
/// ```no_run
/// use mgp_kernel::{StateLocation, StateMigration};
///
/// # async fn run() -> Result<(), mgp_kernel::MigrationError> {
/// let source = StateLocation::parse("/var/lib/mgp")?;
/// let target = StateLocation::parse("postgres://mgp:secret@db.example.com/mgp")?;
/// let migration = StateMigration::prepare(source, target).await?;
/// for section in migration.run().await? {
///     println!("{}: {} tables", section.section, section.tables.len());
/// }
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct StateMigration {
    source: StateLocation,
    target: StateLocation,
    sections: Vec<Section>,
    /// The trails when the migration was prepared.
    trails: Vec<TrailCopy>,
}

#[derive(Debug)]
struct Section {
    schema: &'static Schema,
    layout: Layout,
    source: Database,
    /// The contents when the migration was prepared.
    contents: Vec<TableContent>,
}

/// A section with its tables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MigratedSection {
    /// The name of the section.
    pub section: &'static str,
    /// The tables, in the order of their names.
    pub tables: Vec<MigratedTable>,
}

/// The content of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MigratedTable {
    /// The name of the table.
    pub table: String,
    /// The number of rows.
    pub rows: u64,
    /// The digest of the rows, 64 hexadecimal digits. It does not depend on their order.
    pub digest: String,
}

/// A section whose rows are in the target.
pub(super) struct CopiedSection<'a> {
    section: &'a Section,
    target: Database,
    written: Vec<TableContent>,
}

impl StateMigration {
    /// Reads the whole source, and checks that the target is empty. Copies nothing. Changes the tables of the source to the form that this
    /// version of the program uses. Creates missing tables of a database, and no files.
    ///
    /// # Errors
    /// [`MigrationError`] for a location that is in use or cannot be read, a source without state, a value that the target cannot store, and a
    /// target with rows.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    pub async fn prepare(source: StateLocation, target: StateLocation) -> Result<Self, MigrationError> {
        source.check_source()?;
        if source.is_same_folder(&target) {
            return Err(MigrationError::SameFolder(source));
        }
        for location in [&source, &target] {
            if location.is_in_use().await.map_err(|error| unreadable(location, &error))? {
                return Err(MigrationError::InUse(location.clone()));
            }
        }
        let mut sections = Vec::new();
        for schema in SECTIONS {
            let section = Section::read(schema, &source).await.map_err(|error| {
                MigrationError::Store(format!(
                    "section {} of the source {source}: {}",
                    schema.section,
                    error.reason()
                ))
            })?;
            if target.folder().is_none() {
                section.check_nul()?;
            }
            section.check_target(&target).await?;
            sections.push(section);
        }
        trails::check_target(&target)?;
        let trails = trails::read(&source).await.map_err(|reason| {
            MigrationError::Store(format!("section {} of the source {source}: {reason}", trails::SECTION))
        })?;
        Ok(Self { source, target, sections, trails })
    }

    /// Returns the sections of the source as they were when the migration was prepared.
    #[must_use]
    pub fn sections(&self) -> Vec<MigratedSection> {
        let shown = |section: &Section| MigratedSection::new(section, &section.contents);
        self.sections.iter().map(shown).chain([trails::section(&self.trails)]).collect()
    }

    /// Copies all sections, each in one transaction, and then the audit trails, and compares both locations. If that fails, deletes what was copied,
    /// except for events of the trails in a database: another attempt goes on after them.
    ///
    /// # Errors
    /// [`MigrationError`], which names the tables that still have copied rows.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    pub async fn run(&self) -> Result<Vec<MigratedSection>, MigrationError> {
        let mut copied = Vec::new();
        match self.copy_and_verify(&mut copied).await {
            Ok(trails) => {
                let shown =
                    |copied: &CopiedSection<'_>| MigratedSection::new(copied.section, &copied.written);
                Ok(copied.iter().map(shown).chain([trails::section(&trails)]).collect())
            }
            Err((section, error)) => {
                let left = undo(copied).await;
                Err(MigrationError::Failed { section, reason: error.reason().to_owned(), left })
            }
        }
    }

    async fn copy_and_verify<'a>(
        &'a self,
        copied: &mut Vec<CopiedSection<'a>>,
    ) -> Result<Vec<TrailCopy>, (&'static str, StoreError)> {
        self.copy(copied).await?;
        self.verify(copied).await?;
        let trails = trails::copy(&self.source, &self.target).await;
        let trails = trails.map_err(|reason| (trails::SECTION, StoreError::new(reason)))?;
        // The order of trails differs between a folder and a database.
        let missing = self.trails.iter().find(|trail| !trails.contains(trail));
        match missing.filter(|_| self.source.folder().is_none()) {
            None => Ok(trails),
            Some(TrailCopy { trail, events, .. }) => Err((
                trails::SECTION,
                StoreError::new(format!(
                    "trail {trail} with {events} events was changed during the migration"
                )),
            )),
        }
    }

    /// Copies all sections.
    ///
    /// # Errors
    /// The section that was not copied, and the reason.
    pub(super) async fn copy<'a>(
        &'a self,
        copied: &mut Vec<CopiedSection<'a>>,
    ) -> Result<(), (&'static str, StoreError)> {
        for section in &self.sections {
            let of_section = |error| (section.schema.section, error);
            self.target.create().map_err(of_section)?;
            let target = self.target.open(section.schema).map_err(of_section)?;
            let written = transfer(&section.source, &target, &section.layout).await.map_err(of_section)?;
            copied.push(CopiedSection { section, target, written });
        }
        Ok(())
    }

    /// Reads both locations again, and compares them with what was written.
    ///
    /// # Errors
    /// The section that differs, and its table.
    pub(super) async fn verify(
        &self,
        copied: &[CopiedSection<'_>],
    ) -> Result<(), (&'static str, StoreError)> {
        for CopiedSection { section, target, written } in copied {
            let of_section = |error| (section.schema.section, error);
            for (role, location, database) in
                [("source", &self.source, &section.source), ("target", &self.target, target)]
            {
                let now = content(database, &section.layout).await.map_err(of_section)?;
                let changed = written.iter().zip(&now).find(|(written, now)| written != now);
                if let Some((written, now)) = changed {
                    return Err(of_section(StoreError::new(format!(
                        "table {} of the {role} {location} is not equal to what was copied: expected {} rows with digest {}, found {} with {}",
                        written.table, written.rows, written.digest, now.rows, now.digest
                    ))));
                }
            }
        }
        Ok(())
    }
}

/// Deletes copied rows, unless they were changed. Returns the tables that still have rows.
pub(super) async fn undo(copied: Vec<CopiedSection<'_>>) -> Vec<String> {
    let mut left = Vec::new();
    for CopiedSection { section, target, written } in copied {
        let tables: Vec<_> =
            written.iter().filter(|table| table.rows > 0).map(|table| table.table.clone()).collect();
        if clear(&target, &section.layout, written).await.is_err() {
            left.extend(tables);
        }
    }
    left
}

impl Section {
    async fn read(schema: &'static Schema, source: &StateLocation) -> Result<Self, StoreError> {
        let layout = Layout::of(schema).await?;
        let source = source.open_existing(schema)?;
        let contents = content(&source, &layout).await?;
        Ok(Self { schema, layout, source, contents })
    }

    fn check_nul(&self) -> Result<(), MigrationError> {
        let nul = self.contents.iter().find_map(|content| Some((&content.table, content.nul.as_ref()?)));
        let Some((table, column)) = nul else { return Ok(()) };
        let section = self.schema.section;
        Err(MigrationError::Nul { section, table: table.clone(), column: column.clone() })
    }

    async fn check_target(&self, target: &StateLocation) -> Result<(), MigrationError> {
        let section = self.schema.section;
        let read = async { table_with_rows(&target.open_existing(self.schema)?, &self.layout).await };
        match read.await {
            Ok(None) => Ok(()),
            Ok(Some(table)) => Err(MigrationError::NotEmpty { location: target.clone(), section, table }),
            Err(error) => Err(MigrationError::Store(format!(
                "section {section} of the target {target}: {}",
                error.reason()
            ))),
        }
    }
}

impl MigratedSection {
    fn new(section: &Section, contents: &[TableContent]) -> Self {
        let table = |content: &TableContent| MigratedTable {
            table: content.table.clone(),
            rows: content.rows,
            digest: content.digest.to_string(),
        };
        Self { section: section.schema.section, tables: contents.iter().map(table).collect() }
    }
}

fn unreadable(location: &StateLocation, error: &StoreError) -> MigrationError {
    MigrationError::Store(format!("{location}: {}", error.reason()))
}
