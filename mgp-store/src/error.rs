//! The error of a store.

use std::fmt;

/// The error returned when a store cannot be read or written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreError(String);

impl StoreError {
    /// Creates an error with its reason.
    pub fn new(reason: impl Into<String>) -> Self {
        Self(reason.into())
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "failed to use the store: {}", self.0)
    }
}

impl std::error::Error for StoreError {}
