//! API keys that are kept in a store, by their hashes, and can be added, revoked and replaced while kernels run.
//!
//! [`Keys`] answers from a snapshot in memory, as the [`KeyRing`](mgp_transport::seam::KeyRing) of an HTTP server; a [`KeyStore`] keeps the
//! keys. What a key may do is narrowed by its scopes, which the gate [`KeyScope`](crate::scope::KeyScope) checks.

mod key;
mod memory;
mod ring;
#[cfg(feature = "sqlite")]
mod sqlite;
mod store;

pub use key::{KeyHash, StoredKey};
pub use memory::MemoryKeyStore;
pub use ring::{Keys, USE_INTERVAL};
#[cfg(feature = "sqlite")]
pub use sqlite::SqliteKeyStore;
pub use store::KeyStore;

pub use mgp_store::StoreError;

#[cfg(test)]
#[cfg(feature = "full")]
mod tests;
