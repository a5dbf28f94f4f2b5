//! Prompts: `prompts/*`.

mod definition;
mod service;

pub use definition::Prompt;
pub(crate) use service::{Prompts, texts};
