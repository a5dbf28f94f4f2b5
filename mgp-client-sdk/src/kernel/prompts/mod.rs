//! The prompts of all servers, as one host sees them.

mod get;
mod list;
mod methods;
mod names;

pub(super) use methods::routes;
pub(super) use names::find;
