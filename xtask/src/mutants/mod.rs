//! `cargo xtask mutants`: breaks the code that guards, one small change at a time, and sees whether a test notices.

mod accepted;
mod command;
mod outcome;

pub(crate) use command::run;
