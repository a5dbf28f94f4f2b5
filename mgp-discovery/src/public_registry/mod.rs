//! The public registry of MCP servers, and others with the same API: an untrusted list of servers, read page by page, and turned into entries
//! of a configuration.
//!
//! Nothing is read unless the user asks for it, or the operator allows registries to [recommend](Recommender) servers, and nothing in an
//! entry runs: the entry becomes text for a person to review.

mod budget;
mod client;
mod command;
mod entry;
mod error;
mod input;
mod names;
mod package_name;
mod page;
mod recommend;
mod runtime;
mod settings;
mod snippet;
mod way;

#[cfg(test)]
mod tests;

pub use client::{MAX_PAGES, MAX_RESULTS, PublicRegistry, SearchResult};
pub use entry::{Entry, EntryStatus, Package, PackageTransport, Remote};
pub use error::PublicRegistryError;
pub use input::{Argument, ArgumentKind, Input};
pub use page::Page;
pub use recommend::Recommender;
pub use snippet::snippet;
pub use way::{Need, UnusableWay, Way, ways, ways_with};

pub(crate) use names::variable;
