//! What the kernel knows of every tool of every server: one consistent snapshot, replaced as a whole.

mod entry;
mod snapshot;

pub(crate) use entry::CatalogEntry;
pub(crate) use snapshot::{Catalog, judge};
