//! The faults of a run: of replicas, of the network and of the database.

mod inject;
mod plan;

pub(crate) use inject::{Window, inject};
pub(crate) use plan::{FaultKind, KINDS};
