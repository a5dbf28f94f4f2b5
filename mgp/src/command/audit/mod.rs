//! `mgp audit`: what happened, and whether the trail is as it was stored.

mod run;
mod verify;

pub(crate) use run::{AuditArgs, run};
