//! `mgp audit`: shows, verifies and exports the audit trail.

mod export;
mod ocsf;
mod run;
mod verify;

pub(crate) use run::{AuditArgs, run};
