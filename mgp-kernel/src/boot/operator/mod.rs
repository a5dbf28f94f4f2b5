//! The methods of operators that are not part of the specification: the kernel's report on itself, and the commands
//! for single servers.

mod control;
mod facts;
mod methods;
mod report;

pub(crate) use facts::KernelFacts;
pub(crate) use methods::routes;
