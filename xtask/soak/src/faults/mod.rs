//! What is done to the children.

mod inject;
mod plan;
mod processes;

pub(crate) use inject::inject;
pub(crate) use plan::{Fault, plan};
pub(crate) use processes::Processes;
