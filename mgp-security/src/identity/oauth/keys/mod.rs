//! The keys of an issuer: their formats, their source, and their lifetime.

mod cache;
mod discovery;
mod key;
mod key_set;

#[cfg(test)]
mod tests;

pub use cache::KeyTimes;
pub use key_set::{InvalidKeySet, KeySet};

pub(super) use cache::{KeyCache, NoKey, Source};
pub(super) use key::Key;
