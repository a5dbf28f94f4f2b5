//! `cargo xtask compatibility`: docs/mcp-compatibility.md against the code.

mod check;
mod command;
mod methods;
mod page;
mod scenarios;
mod shown_by;

pub(crate) use command::run;
