//! The public registry of MCP servers, and others that answer as it does: a list of servers that strangers wrote, read page by page,
//! and what an entry would be in a configuration of ours.
//!
//! Nothing is read unless somebody asks, and nothing of an entry runs: it becomes text that a person looks at.

mod budget;
mod client;
mod command;
mod entry;
mod error;
mod input;
mod names;
mod package_name;
mod page;
mod settings;
mod snippet;
mod way;

#[cfg(test)]
mod tests;

pub use client::{Found, MAX_PAGES, MAX_RESULTS, PublicRegistry};
pub use entry::{Entry, EntryStatus, Package, PackageTransport, Remote};
pub use error::PublicRegistryError;
pub use input::{Argument, ArgumentKind, Input};
pub use page::Page;
pub use snippet::snippet;
pub use way::{Need, Unusable, Way, ways};
