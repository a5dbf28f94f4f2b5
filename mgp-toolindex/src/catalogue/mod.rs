//! All tools of all servers: their names for hosts, the resolution of calls, and the index over them.

mod listed;
mod published;

#[cfg(test)]
mod tests;

pub use listed::Catalogue;
pub use published::{CatalogueView, NamedTool};
