//! The last listings of servers, kept so that the tools of a server are known while it does not run.

#[cfg(feature = "sqlite")]
mod sql;
mod store;

#[cfg(feature = "sqlite")]
pub use mgp_store::sql::SqlStore;
#[cfg(feature = "sqlite")]
pub use sql::SqlListingStore;
pub use store::{KeptListing, ListingStore, MAX_LISTING};

pub use mgp_store::StoreError;
