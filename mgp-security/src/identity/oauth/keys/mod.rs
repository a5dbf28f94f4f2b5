//! The keys of an issuer: what they are, where they come from, and for how long they count.

mod cache;
mod discovery;
mod key;
mod key_set;

#[cfg(test)]
mod tests;

pub use cache::KeyTimes;
pub use key_set::{InvalidKeySet, KeySet};

pub(super) use cache::{KeyCache, NoKey, Source};
