//! `cargo xtask compatibility`: docs/mcp-compatibility.md, docs/mgp-compatibility.md and docs/seeds.md against the code.

mod command;
mod links;
mod markdown;
mod mcp;
mod methods;
mod mgp;
mod parts;
mod seeds;
mod shown_by;

pub(crate) use command::run;
pub(crate) use methods::{Protocol, read as read_methods};
