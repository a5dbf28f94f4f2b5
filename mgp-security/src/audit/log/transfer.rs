//! Moves whole trails between files and a database.

use super::{AuditDatabase, AuditLog, AuditLogConfig, AuditVerification, chain::Hash, copier};
use crate::audit::AuditError;
use mgp_store::StoreError;
use std::{fmt::Display, path::Path};

/// A trail that is equal in a file and in a database.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TrailCopy {
    /// The id of the trail.
    pub trail: String,
    /// The number of events.
    pub events: u64,
    /// The hash of the last event, which covers all of them; `None` for a trail without events that have hashes.
    pub head: Option<Hash>,
}

impl TrailCopy {
    /// Describes a trail that was checked.
    #[must_use]
    pub fn of(trail: &str, verification: &AuditVerification) -> Self {
        Self {
            trail: trail.to_owned(),
            events: verification.events + verification.unchained,
            head: verification.head.map(|head| head.hash),
        }
    }
}

impl AuditLog {
    /// Copies all events to a database that do not have them yet, and compares both by their chains and by their numbers of events.
    ///
    /// # Errors
    /// [`AuditError`] if an event is not copied, or if the trails differ.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    pub async fn copy_to(&self, database: &AuditDatabase) -> Result<TrailCopy, AuditError> {
        let failed = |reason: &dyn Display| AuditError::new(&reason.to_string());
        copier::copy_once(&self.writer, database).await.map_err(|reason| failed(&reason))?;
        let trail = self.id().await.map_err(|error| failed(&error))?;
        let here = self.verify(None).await.map_err(|error| failed(&error))?;
        let there = database.verify_one(&trail).await.map_err(|error| failed(&error.reason()))?;
        same(&trail, &here, &there).map_err(|problem| failed(&problem))
    }
}

impl AuditDatabase {
    /// Writes a trail to a new file of an [`AuditLog`], and compares both by their chains and by their numbers of events.
    ///
    /// # Errors
    /// [`StoreError`] if the trail cannot be read, the file cannot be written, or the trails differ.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    pub async fn write_file(&self, trail: &str, path: &Path) -> Result<TrailCopy, StoreError> {
        self.write_events(trail, path).await?;
        let failed = |reason: &dyn Display| StoreError::new(reason.to_string());
        let log = AuditLog::open(path, &AuditLogConfig::default()).map_err(|error| failed(&error))?;
        let here = log.verify(None).await.map_err(|error| failed(&error))?;
        let there = self.verify_one(trail).await?;
        same(trail, &here, &there).map_err(StoreError::new)
    }
}

/// Compares a trail in a file with the one in a database. Faults that it had before are in both.
fn same(trail: &str, file: &AuditVerification, database: &AuditVerification) -> Result<TrailCopy, String> {
    let (here, there) = (TrailCopy::of(trail, file), TrailCopy::of(trail, database));
    if here == there && file.shortened == database.shortened && (database.is_intact() || !file.is_intact()) {
        return Ok(here);
    }
    Err(format!(
        "trail {trail}: the file has {} events up to {:?} and {} problems, the database {} up to {:?} and {}",
        here.events,
        file.head.map(|head| head.to_string()),
        file.problem_count,
        there.events,
        database.head.map(|head| head.to_string()),
        database.problem_count
    ))
}
