//! The prompts of all servers, as one host sees them.

mod get;
mod list;
mod names;

pub(super) use get::get;
pub(super) use list::list_prompts;
pub(super) use names::find;
