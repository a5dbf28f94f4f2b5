//! The prompts of all servers, for one host.

mod get;
mod list;
mod methods;
mod names;

pub(in crate::kernel) use methods::routes;
pub(in crate::kernel) use names::find;
