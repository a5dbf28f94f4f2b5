//! The program behind the kernel.

mod output_fault;
mod serve;
mod tools;

pub(crate) use output_fault::OutputFault;
pub(crate) use serve::run;
