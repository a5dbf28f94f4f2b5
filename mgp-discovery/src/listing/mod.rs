//! The last lists of servers, kept so that a server need not run for its tools to be known.

#[cfg(feature = "sqlite")]
mod sqlite;
mod store;

#[cfg(feature = "sqlite")]
pub use sqlite::SqliteListingStore;
pub use store::{KeptListing, ListingStore, MAX_LISTING};

pub use mgp_store::StoreError;
