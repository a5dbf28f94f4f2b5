//! The prompts of all servers, for one host.

mod get;
mod list;
mod methods;

pub(in crate::kernel) use methods::{PromptMethods, routes};
