//! The audit trails of a migration.
//!
//! A state folder has its trail in `audit.sqlite3`. The trails of several machines come from a database as one file for each,
//! `audit-TRAIL.sqlite3`, which a migration to a database reads as well.

use super::{MigratedSection, MigratedTable, MigrationError, StateLocation};
use mgp_security::audit::{AuditDatabase, AuditLog, AuditLogConfig, AuditReader, TrailCopy};
use mgp_store::{private_file::make_private_folder, sql::SqlStore};
use std::{
    fmt::Display,
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
};

/// The name of the section.
pub(super) const SECTION: &str = "audit";
/// The file of a folder's own trail.
const OWN: &str = "audit.sqlite3";
/// The beginning and the end of the name of a file of another trail.
const OTHER: (&str, &str) = ("audit-", ".sqlite3");

/// Returns the trails of a location.
pub(super) async fn read(location: &StateLocation) -> Result<Vec<TrailCopy>, String> {
    let mut copies = Vec::new();
    match location.folder() {
        Some(folder) => {
            for file in files(folder)? {
                copies.extend(of_reader(&open(&file)?).await?);
            }
        }
        None => {
            if let Some(database) = location.audit_database() {
                copies = of_reader(&database).await?;
            }
        }
    }
    copies.retain(|copy| copy.events > 0);
    Ok(copies)
}

async fn of_reader(reader: &dyn AuditReader) -> Result<Vec<TrailCopy>, String> {
    let trails = reader.verify(None).await.map_err(|error| error.to_string())?;
    Ok(trails.iter().map(|trail| TrailCopy::of(&trail.trail, &trail.verification)).collect())
}

/// Checks that a target folder has no trail. A database may have trails of other machines, and events of the source that are copied already.
pub(super) fn check_target(target: &StateLocation) -> Result<(), MigrationError> {
    let Some(folder) = target.folder() else { return Ok(()) };
    match files(folder).map_err(MigrationError::Store)?.first() {
        None => Ok(()),
        Some(file) => Err(MigrationError::NotEmpty {
            location: target.clone(),
            section: SECTION,
            table: file.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        }),
    }
}

/// Copies all trails, and compares both locations. If that fails, a folder has no trail. A database keeps the copied events, which another
/// attempt does not copy again.
pub(super) async fn copy(source: &StateLocation, target: &StateLocation) -> Result<Vec<TrailCopy>, String> {
    let mut copies = match (source.folder(), target.folder()) {
        (Some(folder), None) => to_database(&files(folder)?, &database(target)?).await?,
        (None, Some(folder)) => to_folder(&database(source)?, folder, None).await?,
        (Some(source), Some(target)) => between_folders(source, target).await?,
        (None, None) => between_databases(&database(source)?, &database(target)?).await?,
    };
    copies.retain(|copy| copy.events > 0);
    Ok(copies)
}

fn database(location: &StateLocation) -> Result<AuditDatabase, String> {
    location.audit_database().ok_or_else(|| format!("{location}: expected a database"))
}

async fn to_database(files: &[PathBuf], database: &AuditDatabase) -> Result<Vec<TrailCopy>, String> {
    let mut copies = Vec::new();
    for file in files {
        let copied = open(file)?.copy_to(database).await;
        copies.push(copied.map_err(|error| format!("{}: {error}", file.display()))?);
    }
    Ok(copies)
}

/// Writes each trail to a file. The trail `own`, or the only one, becomes the folder's own. Otherwise, none does.
async fn to_folder(
    database: &AuditDatabase,
    folder: &Path,
    own: Option<&str>,
) -> Result<Vec<TrailCopy>, String> {
    let trails = database.trails().await.map_err(|error| error.reason().to_owned())?;
    let (mut copies, mut written) = (Vec::new(), Vec::new());
    for trail in &trails {
        let is_own = trails.len() == 1 || own == Some(trail);
        let name = if is_own { OWN.to_owned() } else { format!("{}{trail}{}", OTHER.0, OTHER.1) };
        let file = folder.join(name);
        written.push(file.clone());
        match database.write_file(trail, &file).await {
            Ok(copy) => copies.push(copy),
            Err(error) => {
                written.iter().for_each(|file| remove(file));
                return Err(error.reason().to_owned());
            }
        }
    }
    Ok(copies)
}

/// Copies the trails of a folder by way of a file with the tables of a database.
async fn between_folders(source: &Path, target: &Path) -> Result<Vec<TrailCopy>, String> {
    let way = target.join("migrated-trails.sqlite3");
    remove(&way);
    let copy = async {
        let database = AuditDatabase::open(&way).map_err(|error| error.reason().to_owned())?;
        let files = files(source)?;
        let copied = to_database(&files, &database).await?;
        let own = files.first().filter(|file| file.ends_with(OWN)).and(copied.first());
        to_folder(&database, target, own.map(|copy| copy.trail.as_str())).await
    };
    let copied = copy.await;
    remove(&way);
    copied
}

/// Copies the trails of a database by way of files.
async fn between_databases(source: &AuditDatabase, target: &AuditDatabase) -> Result<Vec<TrailCopy>, String> {
    let folder = std::env::temp_dir().join(format!("mgp-migrated-trails-{}", std::process::id()));
    make_private_folder(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let copy = async {
        to_folder(source, &folder, None).await?;
        to_database(&files(&folder)?, target).await
    };
    let copied = copy.await;
    let _ = fs::remove_dir_all(&folder);
    copied
}

/// Returns a section for the report: each trail with its number of events, and the hash of the last one.
pub(super) fn section(copies: &[TrailCopy]) -> MigratedSection {
    let table = |copy: &TrailCopy| MigratedTable {
        table: copy.trail.clone(),
        rows: copy.events,
        digest: copy.head.iter().flatten().map(|byte| format!("{byte:02x}")).collect(),
    };
    MigratedSection { section: SECTION, tables: copies.iter().map(table).collect() }
}

/// Returns the files with trails, the folder's own first.
fn files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let failed = |error: &dyn Display| format!("{}: {error}", folder.display());
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(|error| failed(&error))?,
    };
    let mut found = Vec::new();
    for entry in entries {
        let path = entry.map_err(|error| failed(&error))?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name == OWN || (name.starts_with(OTHER.0) && name.ends_with(OTHER.1)) {
            found.push(path);
        }
    }
    found.sort_by_key(|path| (!path.ends_with(OWN), path.clone()));
    Ok(found)
}

fn open(file: &Path) -> Result<AuditLog, String> {
    AuditLog::open(file, &AuditLogConfig::default()).map_err(|error| format!("{}: {error}", file.display()))
}

/// Removes a file of a trail with the files that SQLite and the trail keep next to it.
fn remove(file: &Path) {
    for end in ["", "-wal", "-shm"] {
        let mut name = file.as_os_str().to_owned();
        name.push(end);
        let _ = fs::remove_file(name);
    }
}
