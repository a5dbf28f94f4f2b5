//! All tools of all servers: their names for hosts, the resolution of calls, and the index over them.

mod handle;
mod view;

#[cfg(test)]
mod tests;

pub use handle::Catalogue;
pub use view::{CatalogueView, NamedTool};
