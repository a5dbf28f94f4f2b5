//! The choice of operations by tag, path, method and `operationId`.

mod glob;
mod rules;

pub use rules::{Rule, Selection};

pub(crate) use rules::Candidate;
