//! `cargo xtask fuzz`: arbitrary bytes for our own parsers of untrusted input. The targets are in `xtask/fuzz`, the fuzzer in `fuzz/`.

mod build;
mod command;
mod target;

pub(crate) use command::run;
