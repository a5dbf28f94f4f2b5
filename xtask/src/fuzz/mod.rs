//! `cargo xtask fuzz`: arbitrary bytes for our own parsers that read foreign input. The targets are in `xtask/fuzz`, the fuzzer in `fuzz/`.

mod build;
mod command;
mod target;

pub(crate) use command::run;
