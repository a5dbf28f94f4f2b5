//! The choice of operations by tag, path, method and `operationId`.

mod glob;
mod selection;

pub use selection::{Rule, Selection};

pub(crate) use selection::Candidate;
