//! The program behind the kernel.

mod broken;
mod serve;
mod tools;

pub(crate) use broken::Broken;
pub(crate) use serve::run;
