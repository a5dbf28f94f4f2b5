//! Bench `context`: the tokens that tools take of a model's context, listed all at once, as in plain MCP, or found on demand.

mod host;
mod rows;
mod run;
mod server;

pub(crate) use run::run;
