//! The operator's view of a kernel: a handle for programs, and the methods of operators that are not part of the specification, which are the
//! kernel's report on itself and the commands for single servers.

mod control;
mod handle;
mod methods;
mod notices;
mod report;

pub use handle::{JudgedTool, Operator};

pub(super) use methods::{KernelFacts, OperatorHandles, routes};
