//! The faults that are injected into the children.

mod inject;
mod plan;
mod processes;

pub(crate) use inject::inject;
pub(crate) use plan::{Fault, plan};
pub(crate) use processes::Processes;
