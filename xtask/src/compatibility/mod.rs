//! `cargo xtask compatibility`: docs/mcp-compatibility.md and docs/mgp-compatibility.md against the code.

mod command;
mod links;
mod markdown;
mod mcp;
mod methods;
mod mgp;
mod shown_by;

pub(crate) use command::run;
