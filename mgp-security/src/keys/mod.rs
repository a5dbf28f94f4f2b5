//! API keys that are kept in a store, by their hashes, and can be added, revoked and replaced while kernels run.
//!
//! [`Keys`] answers from a snapshot in memory, as the [`KeyRing`](mgp_transport::seam::KeyRing) of an HTTP server. A [`KeyStore`]
//! keeps the keys. The scopes of a key are part of its owner's principal, and [`AccessControl`](crate::access::AccessControl) narrows the
//! principal's rights by them.

mod key;
mod ring;
#[cfg(feature = "sqlite")]
mod sql;
mod store;

pub use key::{KeyHash, MAX_SCOPES, StoredKey};
#[cfg(feature = "sqlite")]
pub use mgp_store::sql::SqlStore;
pub use ring::{Keys, USE_INTERVAL};
#[cfg(feature = "sqlite")]
pub use sql::SqlKeyStore;
pub use store::KeyStore;

pub use mgp_store::StoreError;

#[cfg(test)]
#[cfg(feature = "full")]
mod tests;
