//! The prompts of all servers, for one host.

mod get;
mod list;
mod methods;

pub(crate) use methods::{PromptMethods, routes};
