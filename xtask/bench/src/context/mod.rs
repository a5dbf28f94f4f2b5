//! Bench `context`: the tokens that tools take of a model's context, listed all at once, as plain MCP does, and found when they are
//! needed.

mod host;
mod rows;
mod run;
mod server;

pub(crate) use run::run;
