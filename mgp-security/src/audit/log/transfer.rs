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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::log::{AuditHead, AuditProblem};

    /// Returns the result of a check of a trail with some events and problems.
    fn checked(events: u64, problems: &[AuditProblem]) -> AuditVerification {
        let mut verification = AuditVerification { events, ..AuditVerification::default() };
        problems.iter().for_each(|problem| verification.add(problem.clone()));
        verification
    }

    #[test]
    fn a_copy_has_all_events_and_no_fault_of_its_own() {
        let fault = [AuditProblem::Changed { seq: 1 }];
        for (file, database, are_same) in [
            (checked(2, &[]), checked(2, &[]), true),
            (checked(2, &fault), checked(2, &fault), true),
            // A damaged journal is a fault of the file only.
            (checked(2, &fault), checked(2, &[]), true),
            (checked(2, &[]), checked(2, &fault), false),
            (checked(2, &[]), checked(1, &[]), false),
        ] {
            let same = same("t", &file, &database);
            assert_eq!(same.is_ok(), are_same, "{file:?} {database:?}: {same:?}");
        }
        let shortened = AuditVerification { shortened: Some(AuditHead::new(1, [1; 32])), ..checked(2, &[]) };
        assert!(same("t", &shortened, &checked(2, &[])).is_err());
    }
}
