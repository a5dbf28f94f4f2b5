//! Refuses calls that hold a key twice in one object, whatever validators their tool has.
//!
//! Two readers could read such an object in two ways: the people who approve or audit a call could see other arguments than the server.
//! The layer stands before the gates that ask somebody.

mod layer;
mod service;

pub use layer::UniqueKeysLayer;
pub use service::UniqueKeys;

pub use crate::gate::ResponseFuture;

#[cfg(test)]
#[cfg(feature = "full")]
mod tests;
