//! The scopes of a caller's token, asked for once it is known which tool a name means.
//!
//! The HTTP server asks for the scopes of a method and of a tool's name before a message comes in. A kernel's tools have
//! more than one name, so it asks again here.

mod layer;
mod service;

#[cfg(test)]
#[cfg(feature = "full")]
mod tests;

pub use layer::ScopeLayer;
pub use service::Scope;

pub use crate::gate::ResponseFuture;
