//! Prompts: `prompts/*`.

mod answer;
mod definition;
mod service;

pub use answer::IntoPrompt;
pub use definition::Prompt;
pub(crate) use service::{Prompts, texts};
