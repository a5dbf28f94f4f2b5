//! The server lists of other hosts: the places of their files, and the conversion of their content.

mod comments;
mod context;
mod disabled;
mod entry;
mod error;
mod import;
mod places;
mod projects;
mod timeouts;
mod variables;

#[cfg(test)]
mod tests;

pub use context::HostContext;
pub use disabled::disabled_in_project;
pub use error::ImportError;
pub use import::{ImportResult, RenamedServer, SkippedServer, import};
pub use places::{Candidate, Host, candidates};
