//! Refuses calls that hold a key twice in one object, whatever validator their tool has.
//!
//! Two readers could read such an object in two ways, so that who approves a call and who audits it would not see what the server
//! sees. The layer stands before anybody is asked.

mod layer;
mod service;

pub use layer::UniqueKeysLayer;
pub use service::UniqueKeys;

pub use crate::gate::ResponseFuture;

#[cfg(test)]
#[cfg(feature = "full")]
mod tests;
