//! The server lists of other hosts: the places of their files, and the conversion of their content.

mod comments;
mod context;
mod disabled;
mod document;
mod entry;
mod error;
mod forms;
mod host;
mod import;
mod managed;
mod places;
mod projects;
mod timeouts;
mod variables;

#[cfg(test)]
mod tests;

pub use context::HostContext;
pub use disabled::disabled_in_project;
pub use document::{EditError, ListEdit, connect, disconnect, list_at};
pub use error::ImportError;
pub use host::{Entry, Format, Host};
pub use import::{ImportResult, ImportedName, RenamedServer, SkippedServer, import};
pub use managed::{Obstacle, obstacle};
pub use places::{Candidate, candidates};
