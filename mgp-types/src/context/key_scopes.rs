//! The scopes of an API key.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The scopes of a principal's API key. They narrow the principal's rights, and add none.
///
/// An empty list allows nothing. The reader interprets the scopes; an unreadable scope allows nothing.
#[derive(Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct KeyScopes {
    key: Box<str>,
    scopes: Box<[Box<str>]>,
}

impl KeyScopes {
    /// Creates the scopes of the key with a name from their list, in which spaces separate them.
    #[must_use]
    pub fn new(key: &str, scopes: &str) -> Self {
        Self { key: key.into(), scopes: scopes.split_whitespace().map(Box::from).collect() }
    }

    /// Returns the name of the key.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Returns the scopes, in the order in which they were given.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        self.scopes.iter().map(|scope| &**scope)
    }
}

impl fmt::Debug for KeyScopes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "key {:?} with {:?}", self.key, self.scopes)
    }
}
