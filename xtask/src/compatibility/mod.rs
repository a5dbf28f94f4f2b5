//! `cargo xtask compatibility`: the three pages of docs/compatibility against the code.

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
