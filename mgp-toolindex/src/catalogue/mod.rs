//! All tools of all servers: what hosts call them, how calls find them, and the index over them.

mod listed;
mod published;

#[cfg(test)]
mod tests;

pub use listed::Catalogue;
pub use published::{CatalogueView, NamedTool};
