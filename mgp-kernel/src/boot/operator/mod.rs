//! The operator's view of a kernel: a handle for programs, and the methods of operators that are not part of the specification, which are the
//! kernel's report on itself and the commands for single servers.

mod control;
mod facts;
mod handle;
mod methods;
mod report;

pub use handle::{JudgedTool, Operator};

pub(super) use facts::KernelFacts;
pub(super) use methods::{OperatorHandles, routes};
