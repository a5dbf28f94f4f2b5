//! The trait of a changing set of API keys.

use super::Authentication;
use std::{fmt::Debug, sync::Arc};

/// API keys that may change while a server runs.
pub trait KeyRing: Debug + Send + Sync {
    /// Returns the rights of the owner of the key whose text has this SHA-256; `None` if there is no such key, or if it has
    /// expired. Must not wait: it is called for every request, and again after a wait.
    fn owner(&self, hash: &[u8; 32]) -> Option<Authentication>;

    /// Records the use of a key. Must not wait.
    fn note_use(&self, hash: &[u8; 32]) {
        let _ = hash;
    }

    /// Returns whether there never was a key, in which case callers need none.
    fn is_empty(&self) -> bool;
}

impl<K: KeyRing + ?Sized> KeyRing for Arc<K> {
    fn owner(&self, hash: &[u8; 32]) -> Option<Authentication> {
        (**self).owner(hash)
    }

    fn note_use(&self, hash: &[u8; 32]) {
        (**self).note_use(hash);
    }

    fn is_empty(&self) -> bool {
        (**self).is_empty()
    }
}
