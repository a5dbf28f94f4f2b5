//! The faults that are injected: into the children by signals, into the kernel by its configuration and its operator.

mod inject;
mod operator;
mod plan;
mod processes;
mod reloads;
mod required;

pub(crate) use inject::inject;
pub(crate) use operator::operate;
pub(crate) use plan::{Fault, plan};
pub(crate) use processes::Processes;
pub(crate) use reloads::reload;
pub(crate) use required::required;
