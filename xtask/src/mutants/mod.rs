//! `cargo xtask mutants`: breaks the guarding code, one small change at a time, and checks that a test notices.

mod accepted;
mod command;
mod outcome;

pub(crate) use command::run;
