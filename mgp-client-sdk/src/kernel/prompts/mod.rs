//! The prompts of all servers, for one host.

mod get;
mod list;
mod methods;
mod names;

pub(super) use methods::routes;
pub(super) use names::find;
