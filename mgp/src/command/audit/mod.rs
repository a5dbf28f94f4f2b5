//! `mgp audit`: shows, verifies and exports the audit trail.

mod count;
mod export;
mod filter;
mod ocsf;
mod run;
mod verify;

pub(crate) use run::{AuditArgs, run};
