//! `mgp status`: shows the running kernels.

mod run;
mod shared;

pub(crate) use run::{StatusArgs, run};
