//! `mgp audit`: what happened, whether the trail is as it was stored, and its export.

mod export;
mod ocsf;
mod run;
mod verify;

pub(crate) use run::{AuditArgs, run};
