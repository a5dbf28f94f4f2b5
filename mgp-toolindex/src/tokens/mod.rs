//! §16.8 The number of tokens that a tool's definition takes in a model's context.

mod cl100k;
mod counter;
mod tally;

pub use cl100k::Cl100k;
pub use counter::TokenCounter;
pub(crate) use tally::Tally;
