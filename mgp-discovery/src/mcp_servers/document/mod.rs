//! Edits other hosts' files, so that everything else in them stays as it is.

mod edit;
mod error;
mod json;
mod toml;
mod yaml;

#[cfg(test)]
mod tests;

pub use edit::{ListEdit, connect, disconnect, list_at};
pub use error::EditError;

pub(super) use edit::{MAX_SIZE, value};
