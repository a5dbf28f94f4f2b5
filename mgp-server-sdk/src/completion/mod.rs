//! `completion/complete`: how arguments of prompts and variables of resource templates could go on.

mod answer;
mod completers;

pub use answer::IntoCompletion;
pub(crate) use completers::{Completers, complete};
