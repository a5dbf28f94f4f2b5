//! `completion/complete`: proposals for the arguments of prompts and the variables of resource templates.

mod answer;
mod completers;

pub use answer::IntoCompletion;
pub(crate) use completers::{Completers, routes};
