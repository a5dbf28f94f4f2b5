//! `mgp status`: shows the running kernels.

mod run;

pub(crate) use run::{StatusArgs, run};
